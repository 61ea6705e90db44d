"""Confirmation pages: stop, withdraw, rename, or delete a bot, or let it or an earlier version play again."""

from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.site.bots import access
from agon.site.bots.access import Act, get_bot, get_submission
from agon.site.bots.models import Bot
from agon.site.bots.naming import BadName
from agon.site.bots.refusal import Refused
from agon.site.bots.services import receive_again
from agon.site.bots.states import BotState
from agon.site.use_cases import leaving_play
from agon.site.use_cases.leaving_play import ActionNotAllowed
from agon.site.web.core import refused, signed_in
from agon.site.web.core.requests import SignedInRequest

LONGEST_REASON = 500


class Words(NamedTuple):
    """The texts of a confirmation page: title, what will happen, button, and the message afterwards."""

    title: Any
    points: tuple[Any, ...]
    button: Any
    done: Any


STOPPED = gettext_lazy("It leaves the leaderboard. Its queued rated matches are withdrawn and do not count.")
RATED = gettext_lazy(
    "It leaves the leaderboard. Its queued and running rated matches are still played and count."
)
PENDING = gettext_lazy("Versions that are being built or tested are rejected. New versions are not accepted.")
TOURNAMENTS = gettext_lazy("In running tournaments it keeps playing with the version that entered.")
RESULTS = gettext_lazy("Its matches, their records, and archives stay, under the names used at the time.")
WORDS: dict[Act, Words] = {
    Act.STOP: Words(
        gettext_lazy("Stop %(bot)s"),
        (
            STOPPED,
            PENDING,
            gettext_lazy(
                "It is disqualified from running tournaments: it is listed last, with the "
                "reason, and its matches there do not count."
            ),
            gettext_lazy("Everyone can read the reason on its page. Only an administrator can undo this."),
        ),
        gettext_lazy("Stop bot"),
        gettext_lazy("%(bot)s has been stopped."),
    ),
    Act.RELEASE: Words(
        gettext_lazy("Let %(bot)s play again"),
        (
            gettext_lazy("The version that was active plays again, with its previous rating."),
            gettext_lazy("It is no longer disqualified from tournaments that are still running."),
            gettext_lazy("Its void matches so far no longer count against it."),
        ),
        gettext_lazy("Let it play again"),
        gettext_lazy("%(bot)s is playing again."),
    ),
    Act.WITHDRAW: Words(
        gettext_lazy("Withdraw %(bot)s"),
        (RATED, PENDING, TOURNAMENTS, gettext_lazy("You can let it play again after one hour.")),
        gettext_lazy("Withdraw bot"),
        gettext_lazy("%(bot)s has been withdrawn."),
    ),
    Act.REENTER: Words(
        gettext_lazy("Let %(bot)s play again"),
        (gettext_lazy("The version that was active plays again, with its previous rating."),),
        gettext_lazy("Let it play again"),
        gettext_lazy("%(bot)s is playing again."),
    ),
    Act.RENAME: Words(
        gettext_lazy("Rename %(bot)s"),
        (
            gettext_lazy(
                "Matches that are already queued or played, and tournaments that have "
                "started, keep the old name."
            ),
            gettext_lazy("If it has competed, its old name stays reserved for its owner for 30 days."),
        ),
        gettext_lazy("Rename bot"),
        gettext_lazy("The bot is now called %(bot)s."),
    ),
    Act.DELETE: Words(
        gettext_lazy("Delete %(bot)s"),
        (
            RATED,
            gettext_lazy(
                "The programs of all its versions are erased; those that a tournament may have to play again,"
                " two weeks after its end. This cannot be undone."
            ),
            TOURNAMENTS,
            RESULTS,
            gettext_lazy("If it has competed, its name stays reserved for its owner for 30 days."),
        ),
        gettext_lazy("Delete bot"),
        gettext_lazy("%(bot)s has been deleted."),
    ),
}


class ReasonForm(forms.Form):
    words = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_REASON,
        help_text=gettext_lazy("It is shown to everyone on the bot's page."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class WhyForm(forms.Form):
    """For acts on the bot of another person."""

    why = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_REASON,
        help_text=gettext_lazy("It is in the log of what was done, and in that of running tournaments."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class NameForm(forms.Form):
    words = forms.CharField(
        label=gettext_lazy("New name"),
        max_length=200,  # agon.site.bots.naming has the better error message
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class NameAndWhyForm(WhyForm, NameForm):
    pass


def _form(act: Act, is_own: bool) -> type[forms.Form]:
    """Administrators always say why, owners need not."""
    if act == Act.STOP:
        return ReasonForm
    if act == Act.RENAME:
        return NameForm if is_own else NameAndWhyForm
    return forms.Form if is_own and act != Act.RELEASE else WhyForm


@signed_in.form
def act(request: SignedInRequest, pk: int, act: Act) -> HttpResponse:
    """Ask for confirmation, then do it. 404 without permission."""
    bot = get_bot(request.user, pk)
    if not access.may_act(request.user, bot, act):
        raise Http404
    if act not in access.acts(request.user, bot):
        messages.error(request, not_now(bot))
        return redirect(bot)
    sent = request.POST if request.method == "POST" else None
    is_own = access.owns(request.user, bot)
    form = _form(act, is_own)(sent, initial={"words": bot.name} if act == Act.RENAME else {})
    if request.method == "POST" and form.is_valid():
        try:
            words, why = (form.cleaned_data.get(name, "") for name in ("words", "why"))
            with refused.as_message(request, ActionNotAllowed):
                leaving_play.perform(act, bot, request.user, words, why)
                bot.refresh_from_db()
                messages.success(request, WORDS[act].done % {"bot": bot.name})
            return redirect(bot)
        except BadName as error:
            form.add_error("words", str(error))
    context = {"bot": bot, "competition": bot.competition, "form": form, "act": act, **_texts(act, bot)}
    return render(request, "bots/act.html", context, status=422 if form.errors else 200)


def not_now(bot: Bot) -> str:
    """The message for an act that the bot's present state does not allow."""
    return _("You cannot do this now: the bot is %(state)s.") % {"state": BotState(bot.state).label}


def _texts(act: Act, bot: Bot) -> dict[str, object]:
    words = WORDS[act]
    return {"title": words.title % {"bot": bot.name}, "points": words.points, "button": words.button}


@signed_in.form
def restore(request: SignedInRequest, pk: int) -> HttpResponse:
    """Let an earlier version play again, as a new version with the same program."""
    submission = get_submission(request.user, pk)
    if not access.may_restore(request.user, submission):
        messages.error(request, _("Only a replaced version of your own bot can play again."))
        return redirect(submission)
    if request.method == "POST":
        with refused.as_message(request, Refused):
            version, _is_new = receive_again(request.user, submission)
            return redirect(version)
        return redirect(submission.bot)
    return render(
        request, "bots/restore.html", {"submission": submission, "competition": submission.bot.competition}
    )


@signed_in.form
def remove(request: SignedInRequest, pk: int) -> HttpResponse:
    """Remove a rejected version."""
    submission = get_submission(request.user, pk)
    if not access.may_remove(request.user, submission):
        messages.error(request, _("Only a rejected version can be removed."))
        return redirect(submission)
    is_own = access.owns(request.user, submission.bot)
    form = (forms.Form if is_own else WhyForm)(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with refused.as_message(request, ActionNotAllowed):
            leaving_play.remove(submission, request.user, form.cleaned_data.get("why", ""))
            messages.success(
                request, _("Version %(number)d has been removed.") % {"number": submission.number}
            )
        return redirect(submission.bot)
    context = {"submission": submission, "competition": submission.bot.competition, "form": form}
    return render(request, "bots/remove.html", context, status=422 if form.errors else 200)
