"""Tables, on which tests play a game move by move, without driver and processes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from games.camel_up.bets import LOSER, ROUND, WINNER, Bet
from games.camel_up.board import SQUARES
from games.camel_up.referee import CamelUp
from games.core.game import Game, Illegal, Invocation
from games.coup.moves import CARD_OF, CARDS
from games.coup.referee import Coup
from games.language_survival.referee import LanguageSurvival
from games.samurai.referee import Samurai
from tests.support.reasons import refusal


class Table:
    """A running game. seats: those that are asked now. scores: None until the game is over."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.scores: Sequence[Any] | None = None
        self._play = game.play()
        self._next(None)

    def answer(self, raw: dict[int, Any]) -> None:
        """Judge the raw replies of all seats that are asked, and continue. Raises Illegal."""
        self._next({seat: self.game.move(seat, raw[seat]) for seat in self.seats})

    def _next(self, moves: dict[int, Any] | None) -> None:
        try:
            ask = next(self._play) if moves is None else self._play.send(moves)
        except StopIteration as stop:
            self.scores, self.seats = stop.value, ()
            return
        self.seats = tuple(range(self.game.seats)) if ask.seats is None else ask.seats
        self.views = {seat: self.game.view(seat) for seat in self.seats}


class CoupTable(Table):
    """Coup with given hands, coins and next cards of the deck (the first of `draws` is drawn first)."""

    def __init__(self, hands=("~^", "*!"), coins=(1, 1), draws="", seed=0) -> None:
        game = Coup(2, seed)
        deck = list(CARDS * 3)
        for card in "".join(hands) + draws:
            deck.remove(card)
        game.hands = [list(hand) for hand in hands]
        game.coins = list(coins)
        game.deck = deck + list(reversed(draws))
        super().__init__(game)

    def write(self, *texts: str, stdout: str = "") -> CoupTable:
        """Make a call for each text: it appends the text to the history and prints `stdout`."""
        for text in texts:
            (seat,) = self.seats
            self.answer({seat: {"appended": text, "stdout": stdout}})
        return self

    def line(self, line: str, stdout: str = "") -> CoupTable:
        """Write a whole line: a letter per call, or a card lost on one's own turn and its newline."""
        if line == "I\n":
            return self.write(line)
        while line:
            on_turn = self.game.history.rpartition("\n")[2]
            size = 2 if line[0] in CARD_OF and len(on_turn) % 2 == 0 and on_turn else 1
            self.write(line[:size], stdout=stdout)
            line = line[size:]
        return self

    @property
    def view(self) -> Invocation:
        (seat,) = self.seats
        return self.views[seat]

    @property
    def legal(self) -> tuple[str, ...]:
        return self.view.args[3:]

    @property
    def hands(self) -> list[str]:
        return ["".join(hand) for hand in self.game.hands]


class FavorTable(Table):
    """Samurai or Language Survival, each turn answered by four lines."""

    def turn(self, *lines: str) -> FavorTable:
        self.answer(dict(enumerate(lines)))
        return self

    def idle(self, turns: int) -> FavorTable:
        """Let all seats pick 0 for this number of turns."""
        for _ in range(turns):
            self.turn(*["0 0 0 0 0" if self.game.turn % 2 else "0 0"] * 4)
        return self

    def block(self, seat: int) -> list[list[str]]:
        """The current view of a seat: its lines, split at single blanks; without the settings of turn 1."""
        lines = [line.split(" ") for line in self.views[seat].split("\n")[:-1]]
        return lines[2:] if self.game.turn == 1 else lines

    def numbers(self, seat: int) -> list[list[int]]:
        """`block` as numbers, without the heading: the six rows shown, the real row, the secret picks."""
        return [[int(word) for word in line] for line in self.block(seat)[1:]]


class SamuraiTable(FavorTable):
    def __init__(self, seed=0, strengths=None) -> None:
        game = Samurai(4, seed)
        if strengths:
            game.strengths = list(strengths)
        super().__init__(game)


class LanguageTable(FavorTable):
    def __init__(self, seed=0, attention=None) -> None:
        game = LanguageSurvival(4, seed)
        if attention:
            game.attention = list(attention)
        super().__init__(game)


class CamelTable(Table):
    """Camel Up with a given board. An illegal move becomes a roll, and its message is added to `faults`."""

    def __init__(self, seed=0, track=None, traps=None, waiting=None, **bets) -> None:
        game = CamelUp(4, seed)
        if track is not None:
            game.board.track = [list(track.get(square, [])) for square in range(SQUARES)]
        for square, trap in (traps or {}).items():
            game.board.traps[square] = trap
        if waiting is not None:
            game.waiting = [camel in waiting for camel in range(5)]
        game.round_bets = [Bet(ROUND, camel, seat) for camel, seat in bets.get("round_bets", [])]
        for kind, name in ((WINNER, "winners"), (LOSER, "losers")):
            game.game_bets += [Bet(kind, camel, seat) for camel, seat in bets.get(name, [])]
        self.faults: list[str] = []
        super().__init__(game)

    def act(self, action: list[int]) -> None:
        self.say(json.dumps(action))

    def say(self, line: str) -> None:
        """Answer with this line for the seat whose turn it is."""
        (seat,) = self.seats
        try:
            self.answer({seat: line})
        except Illegal as illegal:
            self.faults.append(refusal("camel_up", illegal))
            self.answer({seat: "[0]"})

    def roll(self, camel: int, die: int) -> None:
        """Roll with a given result."""
        choices = iter((camel, die))
        rng, self.game.rng = self.game.rng, SimpleNamespace(choice=lambda options: next(choices))
        self.act([0])
        self.game.rng = rng

    @property
    def track(self) -> dict[int, list[int]]:
        return {square: stack for square, stack in enumerate(self.game.board.track) if stack}

    @property
    def state(self) -> dict[str, Any]:
        (seat,) = self.seats
        return json.loads(self.views[seat])


@pytest.fixture(scope="session")
def camel_table() -> type[CamelTable]:
    return CamelTable


@pytest.fixture(scope="session")
def coup_table() -> type[CoupTable]:
    return CoupTable


@pytest.fixture(scope="session")
def samurai_table() -> type[SamuraiTable]:
    return SamuraiTable


@pytest.fixture(scope="session")
def language_table() -> type[LanguageTable]:
    return LanguageTable
