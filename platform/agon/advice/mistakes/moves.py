"""Answers that are no moves."""

from __future__ import annotations

import re

from agon.advice.mistakes.evidence import Advice, Evidence
from sandbox.reason import Reason

_QUOTED = re.compile(r"(?:got|returned) ('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")")
# How languages append to a file; those of the first kind open it with "a".
_LIKE_C = ("python", "pypy", "c", "php", "ruby")
_APPENDS = {
    "cpp": "std::ofstream(path, std::ios::app)",
    "java": "Files.writeString(path, move, StandardOpenOption.APPEND)",
    "javascript": "fs.appendFileSync(path, move)",
}
_OPENS = r"\bopen\(.{0,100}['\"]w"


def _nothing_returned(found: Evidence) -> Advice | None:
    if found.kind != "illegal" or "function returned None" not in found.reason:
        return None
    return Advice(
        Reason(
            "Step %(step)d: the function returned nothing (None). Let every way through it end with return "
            "and a move.",
            step=found.shown_step,
        )
    )


def _wrong_case(found: Evidence) -> Advice | None:
    """An answer that would be one of the expected ones in capitals, or in small letters."""
    answer = _QUOTED.search(found.reason) if found.kind == "illegal" else None
    if answer is None:
        return None
    expected, written = found.reason[: answer.start()], answer[1][1:-1]
    for meant in (written.upper(), written.lower()):
        if meant != written and re.search(rf"(?<![\w]){re.escape(meant)}(?![\w])", expected):
            return Advice(
                Reason(
                    "Step %(step)d: '%(written)s' is in the wrong case. Write '%(meant)s'.",
                    step=found.shown_step,
                    written=written,
                    meant=meant,
                )
            )
    return None


def _game_file(found: Evidence) -> Advice | None:
    """Moves that belong into a file, in games of channel `program`."""
    if found.kind != "illegal" or found.channel != "program":
        return None
    if "no longer there" in found.reason and found.language not in _LIKE_C:
        return Advice(_appended(found))
    if "no longer there" in found.reason:
        line = found.line_with(_OPENS)
        return Advice(
            Reason(
                'Step %(step)d: the history file was overwritten. Open it with "a", which appends, and not '
                'with "w".',
                step=found.shown_step,
            ),
            line,
        )
    if found.reason.endswith("got nothing"):
        printed = re.search(r"'stdout': '[^']", found.reply)
        text = (
            Reason(
                "Step %(step)d: the move was printed. Append it to the history file, whose name is the first "
                "argument.",
                step=found.shown_step,
            )
            if printed
            else Reason(
                "Step %(step)d: no move was made. Append one of the moves to the history file, whose name "
                "is the first argument.",
                step=found.shown_step,
            )
        )
        return Advice(text, found.line_with(r"\bprint\(") if printed else 0)
    return Advice(
        Reason(
            "Step %(step)d: what was appended is none of the moves. Append exactly one of them, as it is in "
            "the arguments, with nothing before or after it.",
            step=found.shown_step,
        )
    )


def _appended(found: Evidence) -> Reason:
    if found.language in _APPENDS:
        return Reason(
            "Step %(step)d: the history file was overwritten. Write so that it is appended: %(how)s",
            step=found.shown_step,
            how=_APPENDS[found.language],
        )
    return Reason(
        "Step %(step)d: the history file was overwritten. Append your move to what it holds.",
        step=found.shown_step,
    )


def _no_move(found: Evidence) -> Advice | None:
    if found.kind != "illegal":
        return None
    return Advice(
        Reason(
            "Step %(step)d: %(reason)s. Compare what was sent with your answer, below.",
            step=found.shown_step,
            reason=found.reason.partition(": ")[2] or found.reason,
        )
    )


RULES = (_nothing_returned, _wrong_case, _game_file, _no_move)
