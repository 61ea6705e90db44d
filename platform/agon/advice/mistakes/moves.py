"""Answers that are no moves."""

import re

from agon.advice.mistakes.evidence import Advice, Evidence
from games.core.game import Json
from games.core.reason import Reason
from games.core.wording import RETURNED

# How languages append to a file; those of the first kind open it with "a".
_LIKE_C = ("python", "pypy", "c", "php", "ruby")
_APPENDS = {
    "cpp": "std::ofstream(path, std::ios::app)",
    "java": "Files.writeString(path, move, StandardOpenOption.APPEND)",
    "javascript": "fs.appendFileSync(path, move)",
}
_OPENS = r"\bopen\(.{0,100}['\"]w"


def _nothing_returned(evidence: Evidence) -> Advice | None:
    if evidence.kind != "illegal" or evidence.value("function_returned", "value") != "None":
        return None
    return evidence.in_step("returned_none")


def _wrong_case(evidence: Evidence) -> Advice | None:
    """An answer that would be one of the expected ones in capitals, or in small letters."""
    written, moves = _written(evidence.reply), _moves(evidence)
    for meant in (written.upper(), written.lower()):
        if meant != written and re.search(rf"(?<!\w){re.escape(meant)}(?!\w)", moves):
            return evidence.in_step("wrong_case", written=written, meant=meant)
    return None


def _game_file(evidence: Evidence) -> Advice | None:
    """Moves that belong into a file, in games of channel `program`."""
    if evidence.channel != "program" or not isinstance(evidence.reply, dict) or not _moves(evidence):
        return None
    if evidence.says("file_held_is_gone") and evidence.language in _APPENDS:
        return evidence.in_step("append_move_so", how=_APPENDS[evidence.language])
    if evidence.says("file_held_is_gone") and evidence.language not in _LIKE_C:
        return evidence.in_step("append_move")
    if evidence.says("file_held_is_gone"):
        line = evidence.line_with(_OPENS)
        return evidence.in_step("open_to_append", line)
    if evidence.reply.get("appended") == "":
        if not evidence.reply["stdout"]:
            return evidence.in_step("no_move_made")
        return evidence.in_step("move_printed", evidence.line_with(r"\bprint\("))
    return evidence.in_step("not_a_listed_move")


def _written(reply: Json) -> str:
    """The answer as the program wrote it; of a function, what it returned."""
    text = str(reply.get("appended", "")) if isinstance(reply, dict) else str(reply)
    return text.strip().removeprefix(RETURNED).strip("'\"")


def _moves(evidence: Evidence) -> str:
    """The words that would have been moves (games.core.game.Illegal); "" if the game does not say."""
    moves = evidence.reason.values.get("moves", "") if evidence.kind == "illegal" else ""
    if isinstance(moves, Reason):
        moves = moves.values.get("moves", "")
    return str(moves)


def _no_move(evidence: Evidence) -> Advice | None:
    if evidence.kind != "illegal":
        return None
    return evidence.in_step("compare_answer", reason=evidence.reason)


RULES = (_nothing_returned, _wrong_case, _game_file, _no_move)
