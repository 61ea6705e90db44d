"""Tournaments: listing, creating, following, and controlling them, and their archives."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.contest.formats.trf import to_trf
from agon.site.accounts.models import User
from agon.site.audit.acts import LONGEST_REASON
from agon.site.bots.access import own_bots
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.core.db.transitions import IllegalTransition
from agon.site.matches.models import Match
from agon.site.teams.queries import acting_accounts, acts_for
from agon.site.tournaments import (
    dates,
    deadlines,
    editing,
    outlook,
    presets,
    rights,
    rounds,
    scheduling,
    services,
)
from agon.site.tournaments.deciding import next_to_decide, round_in_play
from agon.site.tournaments.entering import may_enter_others
from agon.site.tournaments.game_rules import rules_of
from agon.site.tournaments.match_access import may_see_records, visible
from agon.site.tournaments.models import Entrant, SeedDraw, Tournament
from agon.site.tournaments.podium import podium
from agon.site.tournaments.rights import may_organize
from agon.site.tournaments.running import prizes_of, revealed_rows, sees_results, winners
from agon.site.tournaments.services import BadTournament, Progress
from agon.site.tournaments.standings import is_by_mean_meanwhile, shown_standings
from agon.site.tournaments.states import State
from agon.site.use_cases import waiting
from agon.site.use_cases.waiting import Place
from agon.site.web.core import refused, signed_in
from agon.site.web.core.downloads import download
from agon.site.web.core.paging import Page, whole_number
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.tournaments import access
from agon.site.web.tournaments.descriptions import criteria, decided_by, describe_ties, follows
from agon.site.web.tournaments.forms import TournamentForm, describe_settings, initial_of, original_contest

TOURNAMENTS = 30  # per page of the list
LATEST_MATCHES = 10  # matches on a tournament's page
LATE = 100  # matches at the end of the schedule, among which the latest are sought
ASK_FROM = 3600.0  # seconds of worker time, from which on the page asks before a tournament starts
ACTIONS = {
    "start": deadlines.start_now,
    "pause": services.pause,
    "resume": services.resume,
    "cancel": services.cancel,
}


@require_safe
def tournaments(request: HttpRequest, slug: str) -> HttpResponse:
    competition = get_object_or_404(Competition, slug=slug)
    tournaments = competition.tournaments.filter(rights.visible(request.user))
    tournaments = tournaments.select_related("organizer").annotate(entered=Count("entrants"))
    context: dict[str, Any] = {
        "competition": competition,
        "page": Page(tournaments.order_by("-pk"), TOURNAMENTS, request.GET.get("page")),
        "may_create": may_organize(request.user, competition=competition),
        "ask_from": ASK_FROM,
    }
    if context["may_create"]:
        context["original"] = _original(competition)
    return render(request, "tournaments/list.html", context)


def _original(competition: Competition) -> dict[str, Any]:
    """The original contest, and the sets of entrants that it can be run with now."""
    mean = outlook.mean_seconds(competition)
    offers = [
        (offer, None if mean is None else mean * offer.matches) for offer in presets.offers(competition)
    ]
    return original_contest(competition.info) | {"seats": competition.info.min_seats, "offers": offers}


@signed_in.act
def original(request: SignedInRequest, slug: str) -> HttpResponse:
    """Create the game's original contest and start it, with one button."""
    competition = access.competition_to_organize(request, slug)
    with refused.as_message(request, BadTournament):
        return redirect(presets.run(request.user, competition, request.POST.get("house") == "1"))
    return redirect("tournaments", slug)


@signed_in.form
def create(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form; `?part=settings` is the part that depends on the format, `?copy=` says which one to copy."""
    competition = access.competition_to_organize(request, slug)
    if request.GET.get("part") == "settings":
        form = TournamentForm(initial=request.GET.dict(), competition=competition)
        return render(request, "tournaments/settings.html", {"form": form})
    form = TournamentForm(
        request.POST or None, competition=competition, initial=_copied(request, competition)
    )
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(services.create(request.user, competition, *form.draft))
        except BadTournament as bad:
            form.refuse(bad)
    return _form_page(request, competition, form)


@signed_in.form
def edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """The form of a draft. 404 without permission; the page if it was started meanwhile."""
    tournament = access.to_organize(request, pk)
    if tournament.state != State.DRAFT:
        return redirect(tournament)
    form = TournamentForm(
        request.POST or None, competition=tournament.competition, initial=initial_of(tournament)
    )
    form.fields["sources_open"].disabled = True  # owners entered knowing it
    if request.method == "POST" and form.is_valid():
        try:
            editing.edit(tournament, form.draft, request.user, request.POST.get("seen", ""))
        except BadTournament as bad:
            form.refuse(bad)
        else:
            messages.success(request, _("The draft was changed."))
            return redirect(tournament)
    seen = request.POST.get("seen") or editing.digest(tournament)
    return _form_page(request, tournament.competition, form, {"edited": tournament, "seen": seen})


def _copied(request: SignedInRequest, competition: Competition) -> dict[str, Any]:
    """What the form is filled in with: another tournament of the competition, but its time and its seed."""
    mine = Tournament.objects.filter(rights.visible(request.user), competition=competition)
    tournament = mine.filter(pk=whole_number(request.GET.get("copy"), 0)).first()
    if tournament is None:
        return {}
    return initial_of(tournament) | {"starts_at": None, "seed": services.draw_seed()}


def _form_page(
    request: SignedInRequest,
    competition: Competition,
    form: TournamentForm,
    more: dict[str, Any] | None = None,
) -> HttpResponse:
    context = {
        "competition": competition,
        "form": form,
        "bots": form.with_places(),
        "chosen": _chosen_bots(form),
        **(more or {}),
    }
    return render(request, "tournaments/create.html", context, status=422 if form.is_bound else 200)


@signed_in.page
def estimate(request: SignedInRequest, slug: str) -> HttpResponse:
    """How many matches the form would create, and how long they would take one after another."""
    competition = access.competition_to_organize(request, slug)
    data = request.GET.copy()
    data["name"] = "-"  # it does not matter here
    form = TournamentForm(data, competition=competition)
    count = form.count if form.is_valid() else None
    likely = form.likely_count
    context: dict[str, Any] = {"count": count, "likely": likely, "problem": _problem(form), "form": form}
    if count is not None:
        mean = outlook.mean_seconds(competition)
        context["seconds"] = None if mean is None else mean * (count if likely is None else likely)
    return render(request, "tournaments/estimate.html", context)


def _chosen_bots(form: TournamentForm) -> set[str]:
    return {str(value) for value in form["bots"].value() or []}


def _problem(form: TournamentForm) -> str:
    if not form["bots"].value():
        return _("Choose entrants to see how many matches they will play.")
    for name, errors in form.errors.items():
        label = f"{form.fields[name].label}: " if name in form.fields else ""
        return f"{label}{errors[0]}"
    return ""


@require_safe
def tournament(request: HttpRequest, pk: int) -> HttpResponse:
    """The page. Open pages poll `?part=progress` until the tournament is over."""
    tournament = access.shown(request, pk)
    progress = services.progress(tournament)
    place = _place(tournament, progress)
    stamp = f"{tournament.state}-{progress.done}-{progress.running}-{place.stamp if place else ''}"
    if tournament.state == State.DRAFT:
        stamp += f"-{outlook.entrants_now(tournament).number}"
    downloads = set(tournament.downloads.values_list("kind", flat=True)) if tournament.is_over else set()
    sees_records = may_see_records(request.user, tournament.competition)
    stamp += f"-{len(downloads)}"
    part = request.GET.get("part") == "progress"
    if part and request.GET.get("seen") == stamp:
        return HttpResponse(status=204)  # nothing new: the open page stays as it is
    entrants = list(tournament.entrants.select_related("bot__owner", "submission"))
    sees = sees_results(request.user, tournament)
    standings = _standings(tournament, [entrant.bot for entrant in entrants], sees)
    context = {
        "tournament": tournament,
        "competition": tournament.competition,
        "entrants": entrants,
        "progress": progress,
        "place": place,
        "stamp": stamp,
        "standings": standings,
        "podium": podium(standings) if tournament.state == State.FINISHED and sees else [],
        "criteria": criteria(standings[0][0]) if standings else [],
        "decided_by": decided_by(tournament),
        "by_mean": is_by_mean_meanwhile(tournament),
        "rounds": rounds.recently_shown(tournament) if tournament.started and sees else rounds.Shown(),
        "sees": sees,
        "own_accounts": acting_accounts(request.user),
        "own_entrants": {entrant.pk for entrant in entrants if acts_for(request.user, entrant.bot.owner_id)},
        **_entries(request, tournament, entrants),
        "secrets_are_shown": tournament.is_over and sees,
        "draws": _draws(tournament, tournament.is_over and sees),
        "withdrawn": [entrant.number for entrant in entrants if entrant.left == Entrant.Left.WITHDRAWN],
        "acts": tournament.acts.select_related("actor").order_by("-pk"),
        "somebody_left": any(entrant.is_out for entrant in entrants),
        "stages": Tournament.Release.choices,
        "ask_from": ASK_FROM,
        "priorities": Tournament.Priority.choices,
        "winners": winners(tournament) if tournament.state == State.FINISHED and sees else [],
        "settings": describe_settings(tournament),
        "latest": _latest(tournament, request.user) if sees else [],
        "may_organize": may_organize(request.user, tournament),
        "may_create": may_organize(request.user, competition=tournament.competition),
        "format": _(tournament.chosen_format.title),
        "rounds_rule": _(tournament.chosen_format.rounds_rule) if tournament.rounds_by_field else "",
        "points": _points_rule(tournament),
        "has_calendar": dates.public_tournaments().filter(pk=tournament.pk).exists(),
        "seasons": tournament.seasons.all(),
        "announced": tournament.state == State.DRAFT and tournament.starts_at is not None,
        "live": tournament.state in (State.RUNNING, State.PAUSED),
        "downloads": downloads,
        "sees_records": sees_records,
        "in_the_making": tournament.started is not None and tournament.is_over and "archive" not in downloads,
    }
    if tournament.state == State.DRAFT:
        context |= _before(tournament)
    elif context["live"]:
        context |= _meanwhile(tournament, progress, sees)
    return render(request, "tournaments/progress.html" if part else "tournaments/tournament.html", context)


def _before(tournament: Tournament) -> dict[str, Any]:
    """What is said of a draft: who would enter now, what it takes, and by which rules it is played."""
    now = outlook.entrants_now(tournament)
    cost = outlook.cost(tournament, now.number)
    return {
        "seen": editing.digest(tournament),
        "entrants_now": now.first,
        "all_entrants": now.number,
        "more_entrants": now.number - len(now.first),
        "cost": cost,
        "guarantee": _(tournament.chosen_format.guarantee),
        "ties_rule": describe_ties(tournament),
        # For the question before an organizer starts it.
        "seconds": (cost.worker_seconds or 0.0) if cost else 0.0,
        "matches_now": cost.matches_now if cost else 0,
    }


def _meanwhile(tournament: Tournament, progress: Progress, sees: bool) -> dict[str, Any]:
    """What is said of a running tournament: when it will be over, and what decides next."""
    end = outlook.end(tournament, progress)
    now = timezone.now()
    round, all_rounds = round_in_play(tournament)
    return {
        "end": end,
        "least_left": (end.earliest - now).total_seconds() if end else None,
        "most_left": (end.latest - now).total_seconds() if end else None,
        "round_now": round,
        "rounds_all": all_rounds,
        "next": next_to_decide(tournament) if sees else None,
        "follows": follows(tournament),
    }


def _points_rule(tournament: Tournament) -> str:
    """The game's rule for points; "" if the format counts wins and draws instead."""
    if tournament.chosen_format.counts_wins:
        return ""
    return _(rules_of(tournament).points.title)


def _entries(request: HttpRequest, tournament: Tournament, entrants: list[Entrant]) -> dict[str, Any]:
    """What a reader may enter into a draft that opens sources."""
    if tournament.state != State.DRAFT or not tournament.sources_open or not request.user.is_authenticated:
        return {}
    own = own_bots(request.user, tournament.competition).filter(active__isnull=False)
    return {
        "own_bots": list(own.order_by("name")),
        "own_entered": {entrant.bot_id for entrant in entrants},
        "enters_others": may_enter_others(request.user),
    }


def _draws(tournament: Tournament, are_shown: bool) -> list[SeedDraw]:
    """The salts and draws of its re-runs and of the rounds since it was reopened, each with `shown`."""
    draws = list(tournament.draws.select_related("rerun"))
    for draw in draws:
        draw.shown = are_shown and not draw.is_open  # type: ignore[attr-defined]
    return draws


def _place(tournament: Tournament, progress: Progress) -> Place | None:
    """The place in the queue of its next match; None while one is being played."""
    if tournament.state != State.RUNNING or progress.running:
        return None
    queued = tournament.matches.filter(state=Match.State.QUEUED).order_by("pk")
    return waiting.of_matches(list(queued.select_related("competition")[:1]))


def _standings(tournament: Tournament, bots: list[Bot], sees: bool) -> list[tuple[Any, Bot]]:
    if tournament.started is None:
        return []
    if not sees:
        return [(row, bots[row.entrant]) for row in revealed_rows(tournament)]
    rows = shown_standings(tournament)
    won = prizes_of(tournament, rows, {number for number, bot in enumerate(bots) if bot.house})
    for number, bot in enumerate(bots):
        bot.prizes = won.get(number, ())  # type: ignore[attr-defined]
    return [(row, bots[row.entrant]) for row in rows]


def _latest(tournament: Tournament, reader: User | AnonymousUser) -> list[Match]:
    played = tournament.matches.filter(state=Match.State.FINISHED)
    # The latest by time are among the latest of the schedule, which an index leads to.
    late = list(played.order_by("-index").values_list("pk", flat=True)[:LATE])
    latest = visible(reader).filter(pk__in=late).order_by("-finished_at")
    return list(latest.prefetch_related("seats__faults")[:LATEST_MATCHES])


@signed_in.act
def act(request: SignedInRequest, pk: int, action: str) -> HttpResponse:
    """Start, pause, resume, or cancel a tournament. 404 without permission.

    seen: of a start, the digest of the draft that the page showed.
    """
    tournament = access.to_organize(request, pk)
    try:
        with refused.as_message(request, BadTournament):
            if action == "start":
                editing.check_seen(tournament, request.POST.get("seen"))
            ACTIONS[action](tournament, request.user, request.POST.get("reason", "")[:LONGEST_REASON])
    except IllegalTransition as illegal:
        state = State(illegal.actual).label
        messages.error(request, _("You cannot do this now: the tournament is %(state)s.") % {"state": state})
    return redirect(tournament)


@require_safe
def trf(request: HttpRequest, pk: int) -> HttpResponse:
    """A Swiss tournament as a TRF16 file. 404 for others."""
    tournament = access.shown(request, pk)
    has_trf = tournament.chosen_format.has_trf and tournament.seats == 2 and tournament.started is not None
    if not has_trf or not sees_results(request.user, tournament):
        raise Http404
    text = to_trf(
        tournament.name,
        request.get_host(),
        (tournament.started or timezone.now()).date(),
        (tournament.finished_at or timezone.now()).date(),
        scheduling.plan(tournament),
        scheduling.history(tournament),
        list(tournament.entrants.values_list("name", flat=True)),
    )
    return download(
        text.encode(), f"{slugify(tournament.name) or 'tournament'}-{tournament.pk}.trf", "text/plain"
    )
