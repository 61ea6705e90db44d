"""Why a submission was rejected or has to wait: kept as facts, said in the reader's language.

In the database a reason is {"kind", "text", "values"}: what it is about, the English sentence with places for
values, as it stands in the translations, and the values. So everybody reads it in his own language, whatever
the worker's was that wrote it. A value may be such a sentence itself. What came from a bot, its compiler or
the system is a value, and stays as it came (in `contest.text`'s writing). A sentence that is no longer in the
translations is still said, in English.
"""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from competitions.templatetags.pages import fault_name
from contest.text import plain
from contest.voids import Blame
from sandbox.reason import Reason

Json = dict[str, Any]

BUILD, FAULT, PLATFORM, LEFT = "build", "fault", "platform", "left"  # kinds
STOPPED, VOIDS = "stopped", "voids"  # kinds of a bot's reasons


def no_build(reason: str) -> Json:
    """Rejected: `reason` is what sandbox.building.build says."""
    return {"kind": BUILD} | _facts(reason)


def fault(kind: str, reason: str) -> Json:
    """Rejected: a fault of `kind` in the qualification match, with the record's own words."""
    text = gettext_noop("It committed a fault in its qualification match (%(fault)s): %(reason)s")
    return {"kind": FAULT, "text": text, "values": {"fault": kind, "reason": reason}}


def no_build_yet(why: str) -> Json:
    text = gettext_noop("The platform failed to build it and will try again: %(why)s")
    return {"kind": PLATFORM, "text": text, "values": {"why": _plain(why)}}


def no_match_yet(why: str) -> Json:
    text = gettext_noop("The platform failed to play the qualification match and will try again: %(why)s")
    return {"kind": PLATFORM, "text": text, "values": {"why": plain(why)}}


def not_built(why: str, attempts: int) -> Json:
    """Rejected: the platform has given up building it."""
    text = gettext_noop(
        "The platform failed to build it %(attempts)d times and gave up. Last failure: "
        "%(why)s. Upload it again later, or report this to the site operators."
    )
    return {"kind": PLATFORM, "text": text, "values": {"why": plain(why), "attempts": attempts}}


def not_tried(why: str, matches: int) -> Json:
    """Rejected: the platform has given up playing its qualification match."""
    text = gettext_noop(
        "The platform failed to play %(matches)d of its qualification matches and gave up. "
        "Last failure: %(why)s. Upload it again later, or report this to the site operators."
    )
    return {"kind": PLATFORM, "text": text, "values": {"why": plain(why), "matches": matches}}


def bot_left() -> Json:
    """Rejected: its bot has left play before it had been tried."""
    return {
        "kind": LEFT,
        "text": gettext_noop("The bot was withdrawn, stopped, or deleted before this version was tested."),
        "values": {},
    }


def stopped(reason: str) -> Json:
    """A bot was stopped: an administrator's own words."""
    return {"kind": STOPPED, "text": "%(reason)s", "values": {"reason": plain(reason)}}


def voids(blame: Blame) -> Json:
    """A bot was stopped by the rule for void matches (contest.voids), with the evidence."""
    text = gettext_noop(
        "Void matches: platform failures began with %(void)d of its matches, and %(played)d "
        "of its matches finished. Without it, failures began with %(others_void)d of "
        "%(others)d matches. By chance, this happens once in %(odds)s cases."
    )
    values = {
        "void": len(blame.matches),
        "played": blame.played,
        "others": blame.others_void + blame.others_played,
        "others_void": blame.others_void,
        "odds": f"{int(1 / max(blame.chance, 1e-12)):,}",
    }
    return {"kind": VOIDS, "text": text, "values": values, "matches": list(blame.matches)}


def said(facts: Json) -> str:
    """A stored reason as a sentence in the reader's language; "" for none."""
    if not facts:
        return ""
    values = {name: _value(name, value) for name, value in facts["values"].items()}
    return _(facts["text"]) % values if values else _(facts["text"])


def translated(reason: str) -> str:
    """A sentence of the sandbox's in the reader's language."""
    return said(_facts(reason)) if reason else ""


def _facts(reason: str) -> Json:
    if not isinstance(reason, Reason):
        return {"text": plain(reason), "values": {}}
    return {
        "text": reason.text,
        "values": {name: _plain(value) for name, value in reason.values.items()},
    }


def _plain(value: object) -> Any:
    """A value as the database takes it."""
    if isinstance(value, Reason):
        return _facts(value)
    return value if isinstance(value, int | float) else plain(str(value))


def _value(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return said(value)
    return fault_name(value) if name == "fault" else value
