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


def _nothing_returned(found: Evidence) -> Advice | None:
    if found.kind != "illegal" or found.value("function_returned", "value") != "None":
        return None
    return found.in_step("returned_none")


def _wrong_case(found: Evidence) -> Advice | None:
    """An answer that would be one of the expected ones in capitals, or in small letters."""
    written, moves = _written(found.reply), _moves(found)
    for meant in (written.upper(), written.lower()):
        if meant != written and re.search(rf"(?<!\w){re.escape(meant)}(?!\w)", moves):
            return found.in_step("wrong_case", written=written, meant=meant)
    return None


def _game_file(found: Evidence) -> Advice | None:
    """Moves that belong into a file, in games of channel `program`."""
    if found.channel != "program" or not isinstance(found.reply, dict) or not _moves(found):
        return None
    if found.says("file_held_is_gone") and found.language in _APPENDS:
        return found.in_step("append_move_so", how=_APPENDS[found.language])
    if found.says("file_held_is_gone") and found.language not in _LIKE_C:
        return found.in_step("append_move")
    if found.says("file_held_is_gone"):
        line = found.line_with(_OPENS)
        return found.in_step("open_to_append", line)
    if found.reply.get("appended") == "":
        if not found.reply["stdout"]:
            return found.in_step("no_move_made")
        return found.in_step("move_printed", found.line_with(r"\bprint\("))
    return found.in_step("not_a_listed_move")


def _written(reply: Json) -> str:
    """The answer as the program wrote it; of a function, what it returned."""
    text = str(reply.get("appended", "")) if isinstance(reply, dict) else str(reply)
    return text.strip().removeprefix(RETURNED).strip("'\"")


def _moves(found: Evidence) -> str:
    """The words that would have been moves (games.core.game.Illegal); "" if the game does not say."""
    moves = found.reason.values.get("moves", "") if found.kind == "illegal" else ""
    if isinstance(moves, Reason):
        moves = moves.values.get("moves", "")
    return str(moves)


def _no_move(found: Evidence) -> Advice | None:
    if found.kind != "illegal":
        return None
    return found.in_step("compare_answer", reason=found.reason)


RULES = (_nothing_returned, _wrong_case, _game_file, _no_move)
