"""The form that a bot is uploaded with, and what visitors filled in before they signed in."""

from urllib.parse import urlencode

from allauth.core import ratelimit
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from agon.site.accounts import browsers
from agon.site.accounts.models import User
from agon.site.bots import entry_rules, languages, naming
from agon.site.bots.access import own_bots
from agon.site.bots.models import Submission
from agon.site.bots.owners import owner_of
from agon.site.bots.refusal import Refused
from agon.site.bots.services import receive
from agon.site.bots.states import BotState
from agon.site.competitions.models import Competition
from agon.site.courses.progress import due_in
from agon.site.web.bots import drafts, entering
from agon.site.web.bots.forms import TEXT, SubmitForm
from sandbox.source import MOST_FILES, UNPACKED_BYTES, UPLOAD_BYTES


def submit(request: HttpRequest, slug: str) -> HttpResponse:
    """The upload form. Anonymous visitors may fill it in; the draft is kept until they sign in."""
    competition = get_object_or_404(Competition, slug=slug)
    if request.method == "POST":
        form = SubmitForm(request.POST, request.FILES, user=request.user)
        if not request.user.is_authenticated:
            return _sign_in_first(request, form, competition)
        if form.is_valid():
            submission = _receive(request.user, competition, form)
            if submission is not None:
                drafts.submitted(request, competition.slug)
                return _leave(request, entering.address_of(request, submission, form.cleaned_data["bot"]))
    else:
        form = SubmitForm(initial=_initial(request, competition), user=request.user)
    status = 422 if form.is_bound else 200
    return render(request, "bots/submit.html", _form_context(request, competition, form), status=status)


def _initial(request: HttpRequest, competition: Competition) -> dict[str, str]:
    """The name that the address gives, else the draft that was kept, with a name if it has none yet."""
    if not request.user.is_authenticated or "bot" in request.GET:
        return {"name": request.GET.get("bot", "")}
    draft = drafts.kept(request, competition.slug)
    if draft is None:
        return {}
    if draft["text"]:
        messages.info(request, _("Here is your program. Check the name, then submit it."))
    return draft | {"name": draft["name"] or naming.proposed(competition, request.user)}


def _sign_in_first(request: HttpRequest, form: SubmitForm, competition: Competition) -> HttpResponse:
    """Keep the draft. Anyone can make us store something here: not much, and not for long."""
    if not ratelimit.consume(request, action="keep_draft", key="site"):
        refused: HttpResponse = ratelimit.respond_429(request)
        return refused
    draft = form.draft() | {"slug": competition.slug}
    size = len(draft["text"].encode(errors="replace"))
    if size > drafts.MOST_BYTES:
        draft["text"] = ""
        messages.warning(
            request,
            _(
                "Sign in first. Your source code (%(size)d KiB) is too large to be kept until "
                "then; paste it again afterwards."
            )
            % {"size": size >> 10},
        )
    enters = bool(draft["bot"] and draft["text"].strip())
    drafts.keep(request, draft | {"enter": "yes" if enters else ""})
    if enters:
        messages.info(request, _("Your program is kept here, and entered as soon as you have signed in."))
    if form.data.get("way") != TEXT:
        messages.info(request, _("Sign in first. You will then be asked for the file again."))
    back = urlencode({"next": reverse("submit", args=[competition.slug])})
    # The editor says where newcomers come from. A browser that has signed in before has an account.
    has_account = browsers.COOKIE in request.COOKIES or draft["bot"].isdecimal() or draft["account"]
    is_new = "newcomer" in request.POST and not has_account
    return _leave(request, f"{reverse('account_signup' if is_new else 'account_login')}?{back}")


def _leave(request: HttpRequest, address: str) -> HttpResponse:
    """Redirect from the form. Where a script has sent it, the page goes there and not the script."""
    if request.headers.get("HX-Request"):
        return HttpResponseClientRedirect(address)
    return redirect(address)


def _receive(user: User, competition: Competition, form: SubmitForm) -> Submission | None:
    data = form.cleaned_data
    try:
        if data["way"] == TEXT:
            return entering.receive_program(user, competition, data)
        owner = owner_of(user, competition, data["name"], data["team"])
        return receive(owner, competition, data["name"], *form.upload(), author=user)
    except Refused as refused:
        form.refuse(refused)
        return None


def _form_context(request: HttpRequest, competition: Competition, form: SubmitForm) -> dict[str, object]:
    own, milestones = [], []
    if request.user.is_authenticated:
        milestones = due_in(request.user, competition)
        own = list(
            own_bots(request.user, competition)
            .filter(state=BotState.ENTERED)
            .order_by("name")
            .values_list("name", flat=True)
        )
    return {
        "competition": competition,
        "not_admitted": _why_not_admitted(request, competition),
        "info": competition.info,
        "form": form,
        "own": own,
        "milestones": milestones,
        "version_of": entering.own_bot(request.user, competition, form.written_for),
        "languages": languages.offered(),
        "upload_bytes": UPLOAD_BYTES,
        "unpacked_bytes": UNPACKED_BYTES,
        "most_files": MOST_FILES,
    }


def _why_not_admitted(request: HttpRequest, competition: Competition) -> str | None:
    """Why this reader would be refused, said before the form is filled in."""
    user = request.user if request.user.is_authenticated else None
    return entry_rules.why_not_this_user(competition, user)
