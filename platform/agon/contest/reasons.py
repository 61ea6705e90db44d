"""The sentences of all reasons that matches and builds give, and reasons in English, as in archives."""

from games.core import reason_texts as of_games
from games.core.reason import Reason, sentence
from games.core.story import mark
from sandbox.reason import Reason as OfSandbox
from sandbox.reason_texts import TEXTS as SANDBOX

_ARENA = {
    "answer_too_long": mark("gave an answer of more than %(most)s bytes, which begins %(start)s"),
    "stopped_on_trial": mark("it was stopped: it is on trial and had made a fault"),
    "unfinished_line": mark("%(reason)s, got %(line)s without a newline"),
    "file_held_is_gone": mark("what it held (%(count)s bytes) is no longer there"),
    "appended_too_long": mark(
        "%(count)s bytes were appended, which begin %(start)s; no move is longer than %(most)s"
    ),
    "file_is_gone": mark("it is gone, no longer a regular file, or far too large"),
    "not_ready": mark("expected a line READY within %(ms)s ms of the start, %(got)s"),
    "got_unfinished_ready": mark("got READY without a newline at its end, so it is not a line yet"),
    "got_unfinished": mark("got %(line)s without a newline"),
    "got_line": mark("got %(line)s"),
    "got_none": mark("got none"),
    "ended_before_ready": mark("expected a line READY within %(ms)s ms of the start; %(why)s"),
    "home_line_lost": mark(
        "it plays at home, and had not answered within %(limit)s s and %(grace)s s for the line, nor in the"
        " %(pause)s s for which a match waits for a lost line"
    ),
    "home_too_long": mark("it plays at home, and the match had lasted %(minutes)s minutes"),
    "home_left": mark("it plays at home, and had left play"),
    "home_gone": mark("it plays at home, and was no longer waited for"),
    "home_ended": mark("it plays at home, where it has ended"),
    "after_line": mark("%(reason)s after %(line)s"),
}

TEXTS = SANDBOX | of_games.TEXTS | _ARENA


def template_of(code: str) -> str:
    """The sentence of a code; "" if there is none, as for a game that is not installed."""
    return TEXTS.get(code) or of_games.template_of(code)


def from_sandbox(reason: OfSandbox) -> Reason:
    """A reason that the sandbox gave, as matches and the site keep them."""
    values = {
        name: from_sandbox(value) if isinstance(value, OfSandbox) else value
        for name, value in reason.values.items()
    }
    return Reason(reason.code, values)


def english(reason: Reason) -> str:
    return sentence(reason, template_of)
