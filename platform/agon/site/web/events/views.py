"""The page of notices, and the badge of a bot's rank for pages elsewhere."""

from typing import NamedTuple
from unicodedata import east_asian_width

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from agon.site.bots.access import get_bot
from agon.site.events import choices, feed_address, following, mailing, words
from agon.site.events import notices as notices_of
from agon.site.events.choices import Chosen
from agon.site.events.models import Kind
from agon.site.events.words import Described
from agon.site.leaderboards import table
from agon.site.web.core import signed_in
from agon.site.web.core.paging import Page
from agon.site.web.core.requests import SignedInRequest

NOTICES = 40  # on a page
BADGE_SECONDS = 300
CHARACTER = 6.6  # pixels, of the badge's font: about as wide as most are
WIDE_CHARACTER = 11  # such as a kanji
PADDING = 10


class Notice(NamedTuple):
    """An event in words."""

    described: Described
    is_new: bool


class Choice(NamedTuple):
    """A row of the form: a kind of notices, in words, and where they are wanted."""

    kind: Kind
    name: str
    chosen: Chosen


class ChoicesForm(forms.Form):
    """The kinds that are wanted on the site, and those by e-mail."""

    site = forms.MultipleChoiceField(choices=[(kind, kind) for kind in choices.KINDS], required=False)
    mail = forms.MultipleChoiceField(choices=[(kind, kind) for kind in choices.KINDS], required=False)


@signed_in.form
def notices(request: SignedInRequest) -> HttpResponse:
    """What concerns the reader's bots, the newest first (shown is read), and a form for what is wanted."""
    if request.method == "POST":
        return _choose(request)
    page = Page(notices_of.of_account(request.user), NOTICES, request.GET.get("page"))
    seen = notices_of.read_until(request.user)
    shown = [
        Notice(described, (described.event.number or 0) > seen) for described in words.describe(page.items)
    ]
    if request.method == "GET":
        notices_of.mark_read(request.user, page.items)
    wanted = choices.of_account(request.user)
    rows = [Choice(kind, str(words.NAMES[kind]), wanted[kind]) for kind in choices.KINDS]
    context = {"page": page, "notices": shown, "choices": rows, "has_mail": settings.MAIL}
    context["followed"] = following.followed(request.user)
    secret = feed_address.of_account(request.user)
    context["feed"] = secret and settings.SITE_URL + reverse("notices_atom", args=[secret])
    context["is_confirmed"] = settings.MAIL and mailing.has_address(request.user)
    return render(request, "events/notices.html", context)


def _choose(request: SignedInRequest) -> HttpResponse:
    form = ChoicesForm(request.POST)
    if not form.is_valid():  # another time's form, or none of ours
        messages.error(request, _("The form was not understood. Nothing was changed."))
        return redirect("notices")
    on_site, by_mail = form.cleaned_data["site"], form.cleaned_data["mail"] if settings.MAIL else []
    wanted = {kind: Chosen(kind in on_site, kind in by_mail) for kind in choices.KINDS}
    choices.choose(request.user, wanted, get_language() or "en")
    messages.success(request, _("Your choice was saved."))
    return redirect("notices")


@csrf_exempt  # mail programs send it, without the reader's cookies; the token says whose mails end
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Ends the e-mail of an account with one POST; a page with a button for those who follow the link."""
    account = mailing.account_of(token)
    if account is None:
        raise Http404
    if request.method == "POST":
        choices.stop_mail(account)
    return render(request, "events/unsubscribe.html", {"is_done": request.method == "POST"})


@require_safe
def badge(request: HttpRequest, pk: int) -> HttpResponse:
    """A picture with a bot's rank, for a README. Anyone may show it."""
    bot = get_bot(AnonymousUser(), pk)  # the same for all readers, whatever their cookies
    row = next(iter(table.rows_of([bot])), None)
    value = _("rank %(rank)s") % {"rank": row.rank} if row and row.best else _("unranked")
    lengths = [_length(text) for text in (bot.name, value)]
    left, right = (length + PADDING for length in lengths)
    context = {"name": bot.name, "value": value, "left": left, "width": left + right, "lengths": lengths}
    context |= {"middle": left / 2, "right": left + right / 2}
    svg = render_to_string("events/badge.svg", context)
    headers = {"Cache-Control": f"public, max-age={BADGE_SECONDS}", "Access-Control-Allow-Origin": "*"}
    return HttpResponse(svg, content_type="image/svg+xml", headers=headers)


def _length(text: str) -> int:
    """The pixels that a text of the badge gets. It is drawn as long as that in any font."""
    widths = (WIDE_CHARACTER if east_asian_width(character) in "WF" else CHARACTER for character in text)
    return round(sum(widths))
