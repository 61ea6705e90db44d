"""Language Survival (CODE FESTIVAL 2014).

Four players choose at once which of six programming languages to propagate: five times on a weekday, twice on
a holiday. Weekdays gain 1 believer, holidays 2; what is shown gains on weekdays only, until the end of turn 5
reveals the holidays so far. After turn 9 the attention each language has goes to those with the most
believers in it and is lost by those with the fewest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.core.game import Ask, Game, Json, Play
from games.core.reason import Reason
from games.core.story import mark
from games.hidden_favor import TARGETS, TURNS, Favor, draw_worths, line, picks_of

LANGUAGES = TARGETS
REVEAL = 5


class LanguageSurvival(Game):
    slug = "language_survival"
    version = "1"
    reasons = {"weekday": mark("turn %(turn)s, weekday"), "holiday": mark("turn %(turn)s, holiday")}

    def __init__(self, seats: int, seed: int) -> None:
        super().__init__(seats, seed)
        self.attention = draw_worths(self.rng)
        self.believers = Favor(seats)
        self.turn = 0

    def play(self) -> Play:
        self.frame(turn=0, attention=list(self.attention))
        for self.turn in range(1, TURNS + 1):
            chosen = yield Ask("propagate", default=(0,) * self._pick_count())
            if self._is_weekday():
                self.believers.win_openly(chosen)
            else:
                self.believers.win_secretly(chosen)
            if self.turn == REVEAL:
                self.believers.reveal()
            self._add_frame(chosen)
        self.believers.share_out(self.attention)
        self.frame(turn=TURNS, points=[str(points) for points in self.believers.points()])
        return self.believers.points()

    def view(self, seat: int) -> str:
        """The block of the turn; before the first one, the settings."""
        block = self.believers.block(seat, f"{self.turn} {self._day()}", secret_picks=self._is_weekday())
        if self.turn > 1:
            return block
        settings = f"{TURNS} {self.seats} {LANGUAGES}\n{line(self.attention)}\n"
        return settings + block  # mutants: nothing is secret yet

    def move(self, seat: int, raw: Json) -> tuple[int, ...]:
        """The languages picked; never Illegal."""
        return picks_of(raw, self._pick_count())

    def position(self) -> Reason:
        return Reason("weekday" if self._is_weekday() else "holiday", turn=self.turn)

    def summary(self) -> dict[str, Json]:
        """`winner` is a seat, or None in a draw, when several have the maximum."""
        winner = self.believers.winner()
        return {"attention": list(self.attention), "draw": winner is None, "winner": winner}

    def _is_weekday(self) -> bool:
        return self.turn % 2 == 1

    def _day(self) -> str:
        return "W" if self._is_weekday() else "H"

    def _pick_count(self) -> int:
        return 5 if self._is_weekday() else 2

    def _add_frame(self, chosen: Mapping[int, Sequence[int]]) -> None:
        self.frame(
            turn=self.turn,
            day=self._day(),
            picks=[list(chosen[seat]) for seat in range(self.seats)],
            shown=[list(row) for row in self.believers.shown],
            real=[list(row) for row in self.believers.real],
        )
