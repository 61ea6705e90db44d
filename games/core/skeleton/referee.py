"""The referee. `play` reads like the rules, `view` is all that a bot learns, `move` all that it can do.

It imports its own folder relatively, so that the game can be copied and renamed.
"""

from __future__ import annotations

from games.core.game import Ask, Game, Illegal, Json, Play
from games.core.reason import Reason
from games.core.story import mark
from games.core.wording import quote

ROUNDS = 10
HIGHEST = 5
LUCK = 2
_NUMBERS = {str(number): number for number in range(1, HIGHEST + 1)}


class Referee(Game):
    slug = "skeleton"
    version = "1"
    # What the author of a bot reads about a fault: where the game stood, and what was wrong with the answer.
    reasons = {
        "round": mark("round %(round)s"),
        "no_number": mark("expected a number from 1 to %(most)s, got %(text)s"),
    }

    def __init__(self, seats: int, seed: int) -> None:
        super().__init__(seats, seed)
        # All chance comes from self.rng: the same seed gives the same match.
        self.lucky = self.rng.randint(1, HIGHEST)
        self.named: list[int] = []
        self.scores = [0] * seats

    def play(self) -> Play:
        for number in range(1, ROUNDS + 1):
            # Both seats are asked at once. Only legal moves come back: a seat that gave none has named 1.
            moves = yield Ask("number", default=1)
            self.named = [moves[seat] for seat in range(self.seats)]
            for seat, named in enumerate(self.named):
                if self.named.count(named) == 1:
                    self.scores[seat] += named * (LUCK if named == self.lucky else 1)
            # What the replay shows. Bots never see it, so it may contain secrets.
            self.frame(round=number, named=list(self.named), scores=list(self.scores))
        return self.scores

    def view(self, seat: int) -> str:
        """Lines for one bot, each ended by a newline: what is new since it was last asked."""
        if not self.named:
            return f"{ROUNDS} {HIGHEST}\n"
        return f"{self.named[seat]} {self.named[1 - seat]}\n"

    def move(self, seat: int, raw: Json) -> int:
        """The number in a bot's line. Changes nothing: `play` carries the move out."""
        text = str(raw).strip()
        if text not in _NUMBERS:
            raise Illegal("no_number", most=HIGHEST, text=quote(text), moves=" ".join(_NUMBERS))
        return _NUMBERS[text]

    def position(self) -> Reason:
        """Where the game stands; it precedes the reason of a fault."""
        return Reason("round", round=len(self.frames) + 1)

    def summary(self) -> dict[str, Json]:
        """Facts about the result for the match log, besides scores and ranks."""
        return {"lucky": self.lucky}
