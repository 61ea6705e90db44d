"""Reasons in the reader's language, and the sentences of those that the site itself gives.

What a bot, its compiler or the system said is a value. It is shown as it is, with control characters escaped.
"""

from django.utils.translation import gettext, override
from django.utils.translation import gettext_noop as _

from agon.advice import reasons
from agon.contest.attempts import FailureKind
from agon.contest.text import escape_controls
from agon.site.core.texts.fault_names import NAMES
from agon.site.core.texts.numbers import localized
from games.core.reason import Reason, sentence

_FAILURES = {
    FailureKind.BOX: _("the box of a bot was lost"),
    FailureKind.BUSY: _("the machine was too busy"),
    FailureKind.OVERTIME: _("the match took too long"),
    FailureKind.REFEREE: _("the referee of the game failed"),
    FailureKind.ARTIFACT: _("the built program of a bot was lost"),
    FailureKind.SANDBOX: _("the worker had no working sandbox"),
    FailureKind.WORKER: _("the worker was lost"),
    FailureKind.RESULT: _("the result could not be stored"),
    FailureKind.PLATFORM: _("the platform failed"),
}
TEXTS = {
    "internal_error": _("internal error (%(error)s); see the worker log"),
    # of submissions
    "no_build": "%(why)s",
    "qualification_fault": _("It committed a fault in its qualification match (%(fault)s): %(reason)s"),
    "no_build_yet": _("The platform failed to build it and will try again: %(why)s"),
    "no_match_yet": _("The platform failed to play the qualification match and will try again: %(why)s"),
    "not_built": _(
        "The platform failed to build it %(attempts)d times and gave up. Last failure: "
        "%(why)s. Upload it again later, or report this to the site operators."
    ),
    "not_tried": _(
        "The platform failed to play %(matches)d of its qualification matches and gave up. "
        "Last failure: %(why)s. Upload it again later, or report this to the site operators."
    ),
    "bot_left": _("The bot was withdrawn, stopped, or deleted before this version was tested."),
    "account_full": _(
        "Your bots use %(used)s of the %(most)d MiB allowed per account; this upload needs %(more)s MiB"
    ),
    "competition_full": _(
        "This competition has no storage left for more bots: they use %(used)s of %(most)d MiB"
    ),
    "site_full": _("This site has no storage left for more bots: they use %(used)s of %(most)d MiB"),
    "disk_full": _("This site's disk is nearly full; uploads are accepted again when there is space"),
    # of bots
    "stopped_by_staff": "%(words)s",
    "parked_by_staff": "%(words)s",
    "taken_by_staff": "%(words)s",
    "voids": _(
        "Void matches: platform failures began with %(void)d of its matches, and %(played)d "
        "of its matches finished. Without it, failures began with %(others_void)d of "
        "%(others)d matches. By chance, this happens once in %(odds)s cases."
    ),
    # of matches
    "one_bot_left": _("One of its bots was withdrawn, stopped, or deleted."),
    "one_bot_stopped": _("One of its bots was stopped."),
    "comparison_cancelled": _("The comparison was cancelled."),
    "challenge_cancelled": _("The challenge was cancelled."),
    "home_away": _("A bot that plays at home was not connected for a day."),
    "assessment_without_program": _("The program of one of the bots is not kept anymore."),
    "assessment_without_seats": _("There are too few house bots for the other seats."),
    "assessment_not_played": _("The platform failed to play too many of the matches."),
    "competition_closed": _("The competition was closed."),
    "tournament_cancelled": _("The tournament was cancelled."),
    "results_discarded": _("The organizer discarded the new results."),
    "this_worker_lost": _("worker %(worker)s was lost"),
    # of trials
    "trial_too_long": _(
        "The match took longer than %(seconds)d s, which is the limit of a try. Enter your bot: rated "
        "matches may take longer."
    ),
    "trial_out_of_time": _("The worker time of this hour was used up before this match."),
    "trial_opponent_gone": _("The program of an opponent is no longer kept. Choose another one."),
    "trial_not_played": _("The platform failed to play this match: %(why)s. Try again."),
    # of workers
    "worker_slower": _("Answers take %(own)s times as long as on other workers."),
    "worker_timeouts": _(
        "Time-outs: %(own)s in %(matches)s matches; %(others)s are expected from other workers."
    ),
    "worker_fails": _("It failed %(matches)s matches in a row, while other workers played theirs."),
    "worker_wins": _(
        "Wins in the seats compared: %(own)s in %(matches)s matches; "
        "%(others)s are expected from other workers."
    ),
    **{f"failure_{kind}": text for kind, text in _FAILURES.items()},
    **{f"fault_{kind}": text for kind, text in NAMES.items()},
}


class StoredReason(Reason):
    """A reason as the site keeps it. str() is its sentence in the reader's language, "" if there is none.

    matches: the ids of the matches that are the evidence; () where there are none.
    """

    def __str__(self) -> str:
        return describe(self)

    @property
    def matches(self) -> tuple[int, ...]:
        ids = self.values.get("ids")
        return ids if isinstance(ids, tuple) else ()


def describe(reason: Reason) -> str:
    """The reason in the reader's language; "" for none."""
    return escape_controls(sentence(reason, _template_of, localized)) if reason else ""


def in_english(reason: Reason) -> str:
    """The same for logs and files, which have one language."""
    with override("en"):
        return describe(reason)


def _template_of(code: str) -> str:
    text = TEXTS.get(code) or reasons.template_of(code)
    return gettext(text) if text else ""
