"""Honest Rock-Paper-Scissors: 250 rounds in which both players first claim a move and then throw one.

A win is worth 2 points, a draw 1, and a throw that matches the claim 1 more. A line to a bot holds what is
new: "C" asks for the first claim, "C x" for a later one after the opponent has thrown x, and "T x" for the
throw after the opponent has claimed x. The answer is the move alone.
"""

from __future__ import annotations

from games.core.game import Ask, Game, Illegal, Json, Play
from games.core.reason import Reason
from games.core.story import mark
from games.core.wording import describe_reply

ROUNDS = 250
BEATEN_BY = {"R": "P", "P": "S", "S": "R"}
_CLAIM, _THROW = Ask("claim"), Ask("throw")


class HonestRPS(Game):
    slug = "honest_rps"
    version = "1"
    reasons = {
        "claim": mark("round %(round)s, claim"),
        "throw": mark("round %(round)s, throw"),
        "no_move": mark("expected R, P or S, %(reply)s"),
    }

    def __init__(self, seats: int, seed: int) -> None:
        super().__init__(seats, seed)
        self.round = 0
        self.phase = "claim"
        self.score = [0, 0]
        self.news = ["C\n", "C\n"]

    def play(self) -> Play:
        for self.round in range(1, ROUNDS + 1):
            self.phase = "claim"
            claims = yield _CLAIM
            self.news = [f"T {claims[1]}\n", f"T {claims[0]}\n"]
            self.phase = "throw"
            throws = yield _THROW
            self.news = [f"C {throws[1]}\n", f"C {throws[0]}\n"]
            self.score[0] += points(claims[0], throws[0], throws[1])
            self.score[1] += points(claims[1], throws[1], throws[0])
            self.frame(claims=claims[0] + claims[1], throws=throws[0] + throws[1], score=list(self.score))
        return self.score

    def view(self, seat: int) -> str:
        return self.news[seat]

    def move(self, seat: int, raw: Json) -> str:
        """R, P or S; blanks and a "\\r" around it are ignored."""
        word = str(raw).strip(" \t\r")
        if word in BEATEN_BY:
            return word
        raise Illegal("no_move", reply=describe_reply(word, 120), moves="R P S")

    def position(self) -> Reason:
        return Reason(self.phase, round=self.round)


def points(claim: str, throw: str, their_throw: str) -> int:
    """The points of one side for one round."""
    result = 1 if throw == their_throw else 2 * (throw == BEATEN_BY[their_throw])
    return result + (throw == claim)
