"""Coup for two programs. Each call of a bot appends one legal move to the history; calls alternate strictly.

A line of the history is one turn: its even positions belong to the player on turn, its odd ones to the other,
and the former's newline closes it. Coins and cards move when the rules say so, often later than the move that
caused it (see `_end_of_turn`).

Frames: the deal, then one per call:
    {"event", "seat", "move", "coins": [c0, c1], "hands": [h0, h1], "lost": [l0, l1], ...}
Cards are shown letters. Events and what they add:
    deal                                    no seat, no move
    income  foreign_aid  coup  exchange  tax  assassinate  steal         a turn begins
    block  challenge  pass                  "card" claimed, for a block
    show                                    "card" shown, and whether it was "replaced"
    give_up                                 "card" lost; "both" when the other one goes with it
    end_turn                                "coins_moved"; "drawn" and "kept" after an exchange
"""

from __future__ import annotations

from typing import NamedTuple

from games.core.game import Ask, Game, Illegal, Invocation, Json, Play
from games.core.reason import Reason, Value
from games.core.story import mark
from games.core.wording import quote
from games.coup.moves import CARD_OF, CARDS, CLAIMS, is_exchange, legal_moves

MOST_CALLS = 200
HISTORY = "history.txt"
_WHITE = " \t\n\r\v\f"
_ASKS = (Ask("move", (0,)), Ask("move", (1,)))
_ACTIONS = {
    "F": "foreign_aid",
    "C": "coup",
    "E": "exchange",
    "T": "tax",
    "A": "assassinate",
    "S": "steal",
}


class Move(NamedTuple):
    """The text to append, and the cards kept when this call ends an exchange ("" otherwise)."""

    text: str
    kept: str


class Coup(Game):
    slug = "coup"
    version = "1"
    reasons = {
        "call": mark("call %(call)s"),
        "one_of": mark("one of %(moves)s"),
        "nothing": mark("nothing"),
        "file_changed": mark(
            "expected %(moves)s appended to the history file and nothing else changed; %(change)s"
        ),
        "no_move": mark("expected %(moves)s appended to the history file, got %(text)s"),
        "wrong_cards": mark("expected %(count)s of the cards %(cards)s on standard output, got %(text)s"),
    }

    def __init__(self, seats: int, seed: int) -> None:
        super().__init__(seats, seed)
        self.deck = list(CARDS * 3)
        self.rng.shuffle(self.deck)
        self.hands = [[self.deck.pop(), self.deck.pop()] for _ in range(seats)]
        self.lost: list[list[str]] = [[] for _ in range(seats)]
        self.coins = [1] * seats
        self.history = ""
        self.drawn: list[str] = []
        self.calls = 0
        self.end = "forfeit"

    def play(self) -> Play:
        self._add_frame(event="deal")
        for self.calls in range(1, MOST_CALLS + 1):
            mover = (self.calls - 1) % 2
            other = 1 - mover
            if is_exchange(self._line()):
                self.drawn = [self.deck.pop(), self.deck.pop()]
            moves = yield _ASKS[mover]
            self._append(mover, other, moves[mover])
            if not self.hands[mover]:
                self.end = "cards"
                return [int(seat == other) for seat in range(self.seats)]
        self.end = "limit"
        return [0, 0]

    def view(self, seat: int) -> Invocation:
        cards = "".join(self.drawn + self.hands[seat])
        coins = (str(self.coins[1 - seat]), str(self.coins[seat]))
        return Invocation((*coins, cards, *self._legal(seat)), self.history)

    def move(self, seat: int, raw: Json) -> Move:
        """The file is judged first, then the appended text, then the answer to an exchange."""
        assert isinstance(raw, dict)
        legal, changed = self._legal(seat), raw.get("changed")
        if isinstance(changed, dict):
            raise Illegal("file_changed", moves=_one_of(legal), change=Reason.from_data(changed))
        text = str(raw["appended"])
        if text not in legal:
            raise Illegal("no_move", moves=_one_of(legal), text=_quoted(text))
        return Move(text, self._kept(seat, str(raw["stdout"])) if self.drawn else "")

    def position(self) -> Reason:
        return Reason("call", call=self.calls)

    def files(self) -> dict[str, str]:
        return {HISTORY: self.history}

    def summary(self) -> dict[str, Json]:
        """`end`: "cards" (a player has none left), "limit" (both lose after 200 calls) or "forfeit"."""
        return {"calls": self.calls, "end": self.end}

    def _line(self) -> str:
        """The current turn's line so far."""
        return self.history[self.history.rfind("\n") + 1 :]

    def _legal(self, seat: int) -> tuple[str, ...]:
        return legal_moves(self.history, self.hands[seat], self.coins[seat], self.coins[1 - seat])

    def _kept(self, seat: int, stdout: str) -> str:
        """The cards that an exchange's answer keeps, in its order."""
        answer = stdout.strip(_WHITE)
        offered, count = "".join(self.drawn + self.hands[seat]), len(self.hands[seat])
        if len(answer) != count or any(answer.count(card) > offered.count(card) for card in answer):
            raise Illegal("wrong_cards", count=count, cards=offered, text=_quoted(answer))
        return answer

    def _append(self, mover: int, other: int, move: Move) -> None:
        line, text = self._line(), move.text
        self.history += text
        if text == "I\n":
            self.coins[mover] += 1
            self._add_frame("income", mover, text)
        elif text in _ACTIONS:
            self._add_frame(_ACTIONS[text], mover, text)
        elif text in CLAIMS:
            self._add_frame("block", mover, text, card=CLAIMS[text])
        elif text in ("p", "q"):
            self._add_frame("pass" if text == "p" else "challenge", mover, text)
        elif text in CARDS:
            self._show(mover, text, line)
        elif text[0] in CARD_OF:
            self._give_up(mover, other, text, line)
        else:
            self._end_of_turn(mover, other, move, line)

    def _show(self, mover: int, card: str, line: str) -> None:
        """A shown card is replaced: draw first, then put it back. Only an exchange's Ambassador stays."""
        replaced = line[0] != "E"
        if replaced:
            self.hands[mover].remove(card)
            self.hands[mover].append(self.deck.pop())
            self._put_back([card])
        self._add_frame("show", mover, card, card=card, replaced=replaced)

    def _give_up(self, mover: int, other: int, text: str, line: str) -> None:
        card = CARD_OF[text[0]]
        self._lose(mover, card)
        if text.endswith("\n"):
            if line == "Asq!":
                self.coins[mover] -= 3
        elif line[0] == "C":
            self.coins[other] -= 7
        elif line[0] == "A":
            self.coins[other] -= 3
        # One card for the lie or the failed challenge, one for the assassination: one is written, both are
        # lost.
        both = line in ("Aq^", "Asq") and bool(self.hands[mover])
        if both:
            self._lose(mover, self.hands[mover][0])
        self._add_frame("give_up", mover, text, card=card, both=both)

    def _end_of_turn(self, mover: int, other: int, move: Move, line: str) -> None:
        """The closing newline: an action that was not stopped happens now; a blocked assassination is still
        paid."""
        before = self.coins[mover]
        happens = line[-1] == "p" or line[-1] in CARD_OF
        if line == "As":
            self.coins[mover] -= 3
        elif happens and line[0] == "F":
            self.coins[mover] += 2
        elif happens and line[0] == "T":
            self.coins[mover] += 3
        elif happens and line[0] == "S":
            stolen = 1 if self.coins[other] == 1 else 2
            self.coins[mover] += stolen
            self.coins[other] -= stolen
        more: dict[str, Json] = {"coins_moved": self.coins[mover] - before}
        if self.drawn:
            more |= {"drawn": "".join(self.drawn), "kept": move.kept}
            self._exchange(mover, move.kept)
        self._add_frame("end_turn", mover, move.text, **more)

    def _exchange(self, mover: int, kept: str) -> None:
        unwanted = self.drawn + self.hands[mover]
        for card in kept:
            unwanted.remove(card)
        self.hands[mover] = list(kept)
        self.drawn = []
        self._put_back(unwanted)

    def _put_back(self, cards: list[str]) -> None:
        self.deck += cards
        self.rng.shuffle(self.deck)

    def _lose(self, seat: int, card: str) -> None:
        self.hands[seat].remove(card)
        self.lost[seat].append(card)

    def _add_frame(self, event: str, seat: int | None = None, move: str | None = None, **more: Json) -> None:
        mover: dict[str, Json] = {} if seat is None else {"seat": seat, "move": move}
        self.frame(
            event=event,
            coins=list(self.coins),
            hands=["".join(hand) for hand in self.hands],
            lost=["".join(cards) for cards in self.lost],
            **mover,
            **more,
        )


def _one_of(moves: tuple[str, ...]) -> Value:
    """Legal moves as they would be written in a program, without duplicates."""
    shown = list(map(repr, dict.fromkeys(moves)))
    return shown[0] if len(shown) == 1 else Reason("one_of", moves=" ".join(shown))


def _quoted(text: str) -> Value:
    return quote(text) if text else Reason("nothing")
