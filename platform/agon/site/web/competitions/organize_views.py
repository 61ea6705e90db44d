"""Competitions by their organizers: drafts, opening, and all that can be done afterwards."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.site.competitions import bundles, organizing, past
from agon.site.competitions.access import may_create, may_run, run_by
from agon.site.competitions.bundles import BadBundle
from agon.site.competitions.lists import of_list
from agon.site.competitions.models import Competition
from agon.site.competitions.organizing import NotPossible
from agon.site.competitions.settings import BadSettings, from_json
from agon.site.use_cases import competition_states, opening, opening_checks
from agon.site.use_cases.people_and_results import people_and_results
from agon.site.web.competitions.changes import changes_of
from agon.site.web.competitions.settings_form import SettingsForm, initial
from agon.site.web.core import refused, signed_in
from agon.site.web.core.downloads import download
from agon.site.web.core.markdown import render as render_markdown
from agon.site.web.core.paging import Page, whole_number
from agon.site.web.core.requests import SignedInRequest
from agon.site.workers import tasks

PAST_ROWS = 100  # on a page


@signed_in.page
def own(request: SignedInRequest) -> HttpResponse:
    """The drafts and the competitions of an organizer; for others what to do to become one."""
    return render(request, "competitions/own.html", _own_context(request))


def _own_context(request: SignedInRequest) -> dict[str, Any]:
    archived, run = request.GET.get("archived") == "true", run_by(request.user)
    return {
        "may_create": may_create(request.user),
        "drafts": request.user.competition_drafts.all(),
        "competitions": of_list(run, archived).order_by("-state", "title"),
        "archived": archived,
        "some_are_archived": not archived and of_list(run, archived=True).exists(),
    }


@signed_in.form
def new(request: SignedInRequest) -> HttpResponse:
    """The form of a new draft."""
    _must_create(request)
    form = SettingsForm(
        request.POST if request.method == "POST" else None, initial={"house_bots": True, "ladder": True}
    )
    if form.is_valid():
        with refused.as_message(request, NotPossible):
            return redirect(organizing.create_draft(request.user, form.settings))
    return render(request, "competitions/new.html", {"form": form}, status=422 if form.errors else 200)


@signed_in.form
def draft(request: SignedInRequest, pk: int) -> HttpResponse:
    """A draft: its form, how its text looks, and what to know before it is opened."""
    competition_draft = get_object_or_404(request.user.competition_drafts, pk=pk)
    settings = from_json(competition_draft.settings)
    form = SettingsForm(request.POST if request.method == "POST" else None, initial=initial(settings))
    revision = whole_number(request.POST.get("revision"), 0) if request.POST else competition_draft.revision
    if form.is_valid():
        with refused.in_form(form, NotPossible):
            organizing.save_draft(competition_draft, form.settings, revision)
            messages.success(request, _("The draft was saved."))
            return redirect(competition_draft)
        revision = competition_draft.revision
    context = {
        "draft": competition_draft,
        "form": form,
        "revision": revision,
        "text": render_markdown(settings.text, below=2).html,
        "findings": opening_checks.findings(settings),
    }
    return render(request, "competitions/draft.html", context, status=422 if form.errors else 200)


@signed_in.act
def open_draft(request: SignedInRequest, pk: int) -> HttpResponse:
    """Open the competition of a draft."""
    _must_create(request)
    competition_draft = get_object_or_404(request.user.competition_drafts, pk=pk)
    try:
        with refused.as_message(request, NotPossible):
            competition = opening.open_competition(competition_draft, request.user)
            transaction.on_commit(tasks.ask_for_house_bots, robust=True)
            messages.success(request, _("The competition is open."))
            return redirect("competition_settings", competition.slug)
    except BadSettings as bad:
        for why in bad.problems.values():
            messages.error(request, why)
        return redirect(competition_draft)
    return redirect("own_competitions")


@signed_in.act
def delete_draft(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete a draft, which only its organizer sees."""
    get_object_or_404(request.user.competition_drafts, pk=pk).delete()
    messages.success(request, _("The draft was deleted."))
    return redirect("own_competitions")


@signed_in.act
def import_draft(request: SignedInRequest) -> HttpResponse:
    """A new draft from an exported competition."""
    _must_create(request)
    sent = request.FILES.get("file")
    if sent is None:
        messages.error(request, _("Choose a file: the zip of an exported competition."))
        return redirect("own_competitions")
    try:
        with refused.as_message(request, BadBundle, NotPossible):
            bundle = bundles.unpack(sent.read(bundles.MOST_BYTES + 1))
            return redirect(organizing.create_draft(request.user, *bundle))
    except BadSettings as bad:
        for name, why in bad.problems.items():
            messages.error(request, f"{name}: {why}")
    return redirect("own_competitions")


@signed_in.form
def settings(request: SignedInRequest, slug: str) -> HttpResponse:
    """The settings of a competition for its organizers, and the forms of all that they can do with it."""
    competition = to_run(request, slug)
    form = SettingsForm(
        request.POST if request.method == "POST" else None,
        initial=initial(competition.settings),
        is_open=True,
    )
    why = request.POST.get("why", "")
    seen = whole_number(request.POST.get("seen"), 0) if request.POST else organizing.last_change(competition)
    if form.is_valid():
        with refused.in_form(form, BadSettings, NotPossible):
            changed = organizing.change(competition, form.settings, seen, request.user, why)
            messages.success(
                request, _("The settings were changed.") if changed else _("Nothing was changed.")
            )
            transaction.on_commit(tasks.ask_for_house_bots, robust=True)
            return redirect("competition_settings", competition.slug)
        seen = organizing.last_change(competition)
    context = {
        "competition": competition,
        "form": form,
        "why": why,
        "seen": seen,
        "is_organizer": competition.organizers.filter(user=request.user).exists(),
        "organizers": competition.organizers.select_related("user"),
        "states": [state for state in Competition.State if state != competition.state],
        "link": request.build_absolute_uri(_link(competition)) if competition.entry_secret else "",
        "participants": competition.participants.count(),
    }
    return render(request, "competitions/settings.html", context, status=422 if form.errors else 200)


def _link(competition: Competition) -> str:
    return reverse("competition_enter", args=[competition.slug, competition.entry_secret])


@signed_in.act
def state(request: SignedInRequest, slug: str) -> HttpResponse:
    """Open, close or archive."""
    competition = to_run(request, slug)
    wanted = request.POST.get("state", "")
    if wanted not in Competition.State.values:
        messages.error(request, _("There is no such act."))
    else:
        why = request.POST.get("why", "")
        with refused.as_message(request, NotPossible):
            competition_states.set_state(competition, Competition.State(wanted), request.user, why)
    return redirect("competition_settings", competition.slug)


@signed_in.act
def organizers(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add an organizer (name), remove one (remove: the number of the account), or hand over (to: a name)."""
    competition = to_run(request, slug)
    removed = request.POST.get("remove", "")
    with refused.as_message(request, NotPossible):
        if "to" in request.POST:
            new = organizing.hand_over(competition, request.POST["to"], request.user)
            messages.success(request, _("%(name)s runs the competition now.") % {"name": new.shown_name})
        elif removed:
            organizing.remove_organizer(competition, whole_number(removed, 0), request.user)
        else:
            organizing.add_organizer(competition, request.POST.get("name", ""), request.user)
    if not may_run(request.user, competition):
        return redirect("own_competitions")
    return redirect("competition_settings", competition.slug)


@signed_in.act
def link(request: SignedInRequest, slug: str) -> HttpResponse:
    """Replace the link for entrants."""
    competition = to_run(request, slug)
    organizing.renew_link(competition, request.user)
    return redirect("competition_settings", competition.slug)


@signed_in.act
def clone(request: SignedInRequest, slug: str) -> HttpResponse:
    """A new draft with the settings of this competition; its address and title are to be changed."""
    _must_create(request)
    competition = to_run(request, slug)
    with refused.as_message(request, BadSettings, NotPossible):
        return redirect(organizing.create_draft(request.user, competition.settings))
    return redirect("own_competitions")


@require_safe
@login_required
def export(request: SignedInRequest, slug: str) -> HttpResponse:
    """The settings and the text as a zip; with ?people=1 people and results, too."""
    competition = to_run(request, slug)
    wants_all = request.GET.get("people") == "1"
    with refused.as_message(request, BadBundle):
        past = people_and_results(competition, request.user) if wants_all else ()
        return download(bundles.pack(competition.settings, past), f"{competition.slug}.zip")
    return redirect("competition_settings", competition.slug)


@require_safe
def past_tables(request: HttpRequest, slug: str) -> HttpResponse:
    """People and results of another site, from which the competition was imported: a list of tables."""
    competition = get_object_or_404(Competition, slug=slug)
    tables = past.shown(competition, may_run(request.user, competition)).defer("rows")
    if not tables:
        raise Http404
    return render(request, "competitions/past.html", {"competition": competition, "tables": tables})


@require_safe
def past_table(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    competition = get_object_or_404(Competition, slug=slug)
    shown = past.shown(competition, may_run(request.user, competition))
    table = get_object_or_404(shown, number=number)
    page = Page(table.rows, PAST_ROWS, request.GET.get("page"))
    context = {"competition": competition, "table": table, "page": page}
    return render(request, "competitions/past_table.html", context)


@signed_in.form
def enter(request: SignedInRequest, slug: str, secret: str) -> HttpResponse:
    """Where the link for entrants leads. A GET admits no one: programs follow links, too."""
    competition = get_object_or_404(Competition, slug=slug)
    if request.method == "POST":
        if organizing.admit(competition, request.user, secret):
            messages.success(request, _("You are admitted. Submit your first bot."))
            return redirect("submit", competition.slug)
        messages.error(request, _("This link is no longer valid. Ask the organizers for the new one."))
        return redirect(competition)
    return render(request, "competitions/enter.html", {"competition": competition})


@require_safe
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """What organizers have changed since the competition opened, for everyone to read."""
    competition = get_object_or_404(Competition, slug=slug)
    shown = changes_of(competition)
    return render(request, "competitions/changes.html", {"competition": competition, "shown": shown})


def _must_create(request: SignedInRequest) -> None:
    if not may_create(request.user):
        raise Http404


def to_run(request: SignedInRequest, slug: str) -> Competition:
    """A competition that the reader runs. Raises Http404."""
    competition = get_object_or_404(Competition, slug=slug)
    if not may_run(request.user, competition):
        raise Http404
    return competition
