"""Announcements of a competition: for everyone to read, and the forms of its organizers."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from agon.site.competitions import announcing
from agon.site.competitions.access import may_run
from agon.site.competitions.announcing import LONGEST_TEXT, BadAnnouncement, Words
from agon.site.competitions.models import Announcement, Competition
from agon.site.competitions.organizing import NotPossible
from agon.site.competitions.settings import LONGEST_TITLE
from agon.site.web.competitions.organize_views import to_run
from agon.site.web.core import refused, signed_in
from agon.site.web.core.markdown import render as render_markdown
from agon.site.web.core.paging import Page, whole_number
from agon.site.web.core.requests import SignedInRequest

SHOWN = 30  # on a page of the list


class AnnouncementForm(forms.Form):
    """After validation, `words` are validated."""

    words: Words
    title = forms.CharField(label=gettext_lazy("Title"), max_length=LONGEST_TITLE)
    text = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=LONGEST_TEXT,
        widget=forms.Textarea({"rows": 12}),
        help_text=gettext_lazy("Markdown: # for headings, - for lists, [words](address) for links."),
    )

    def clean(self) -> None:
        if self.errors:
            return
        with refused.in_form(self, BadAnnouncement):
            self.words = announcing.validated(Words(**self.cleaned_data))


@require_safe
def announcements(request: HttpRequest, slug: str) -> HttpResponse:
    """All announcements that were not withdrawn, the newest first."""
    competition = get_object_or_404(Competition, slug=slug)
    page = Page(announcing.shown(competition), SHOWN, request.GET.get("page"))
    context = {"competition": competition, "page": page, "may_run": may_run(request.user, competition)}
    return render(request, "competitions/announcements.html", context)


@require_safe
def announcement(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One announcement."""
    announcement = _shown(slug, pk)
    context = {
        "competition": announcement.competition,
        "announcement": announcement,
        "text": render_markdown(announcement.text, below=2).html,
        "may_run": may_run(request.user, announcement.competition),
    }
    return render(request, "competitions/announcement.html", context)


@signed_in.form
def new(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form of a new announcement. `preview`: it only shows how it looks."""
    competition = to_run(request, slug)
    form = AnnouncementForm(request.POST or None)
    if form.is_valid() and "preview" not in request.POST:
        with refused.in_form(form, NotPossible):
            made = announcing.announce(competition, form.words, request.user)
            messages.success(request, _("It is announced."))
            return redirect(made)
    return _form_page(request, competition, form)


@signed_in.form
def edit(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The form of one that is announced already."""
    to_run(request, slug)
    announcement = _shown(slug, pk)
    initial = {"title": announcement.title, "text": announcement.text}
    form = AnnouncementForm(request.POST or None, initial=initial)
    revision = whole_number(request.POST.get("revision"), 0) if request.POST else announcement.revision
    if form.is_valid() and "preview" not in request.POST:
        with refused.in_form(form, NotPossible):
            changed = announcing.edit(announcement, form.words, revision, request.user)
            messages.success(request, _("The announcement was changed."))
            return redirect(changed)
        revision = announcement.revision
    return _form_page(request, announcement.competition, form, announcement, revision)


@signed_in.act
def withdraw(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Withdraw it, so that no one can read it anymore."""
    to_run(request, slug)
    announcement = _shown(slug, pk)
    announcing.withdraw(announcement, request.user)
    messages.success(request, _("The announcement was withdrawn."))
    return redirect("announcements", slug)


def _form_page(
    request: SignedInRequest,
    competition: Competition,
    form: AnnouncementForm,
    edited: Announcement | None = None,
    revision: int = 0,
) -> HttpResponse:
    shows = form.is_bound and form.is_valid()
    context = {
        "competition": competition,
        "form": form,
        "edited": edited,
        "revision": revision,
        "words": form.words if shows else None,
        "preview": render_markdown(form.words.text, below=2).html if shows else "",
    }
    status = 422 if form.errors else 200
    return render(request, "competitions/announcement_form.html", context, status=status)


def _shown(slug: str, pk: int) -> Announcement:
    """One that is not withdrawn. Raises Http404."""
    competition = get_object_or_404(Competition, slug=slug)
    return get_object_or_404(announcing.shown(competition), pk=pk)
