"""Camel Up Cup 2018: four players bet on a race of camels that carry each other.

In turn each rolls for a camel, lays its trap, or bets on the winner of the round or on the winner or loser
of the game, until a camel reaches square 16; the most coins win. A view is one line of JSON: the original's
game state, with the seat's own game bets as camels and the others' as null. An answer is a list: [0] rolls,
[1, type, square] lays the trap, [2, camel], [3, camel] and [4, camel] bet. Any other answer is refused and
counts as a roll.

Frames: the start, then one per turn with turn, seat, action, coins, track ([square, camels] of each stack),
traps ([square, type, owner]), waiting; "rolled" after a roll: [camel, die, owner of the trap that was hit
or null]; "round", the ranking, when a round ended with the turn and was settled.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from games.camel_up import bets
from games.camel_up.bets import LOSER, ROUND, WINNER, Bet
from games.camel_up.board import CAMELS, TRAP_REASONS, Board
from games.core.game import Ask, Game, Illegal, Json, Play
from games.core.reason import Reason
from games.core.story import mark
from games.core.wording import describe_reply, numeral

MOST_TURNS = 1000
DICE = (1, 2, 3)
ROLL, TRAP = 0, 1  # beside the kinds of bets
LENGTHS = {ROLL: 1, TRAP: 3, ROUND: 2, WINNER: 2, LOSER: 2}
_SHAPES = ("[0]", "[1, type, square]", "[2, camel]", "[3, camel]", "[4, camel]")


class CamelUp(Game):
    slug = "camel_up"
    version = "1"
    reasons = {
        "turn": mark("turn %(turn)s"),
        "no_action": mark("expected %(shapes)s or %(last)s, %(reply)s"),
        "wrong_shape": mark("expected %(shape)s, %(reply)s"),
        "no_numbers": mark("expected %(shape)s of plain whole numbers, %(reply)s"),
        "no_camel": mark("expected a camel from 0 to 4, got %(number)s"),
        "bet_to_win": mark("expected a camel without a game bet: %(camel)s has your bet to win"),
        "bet_to_lose": mark("expected a camel without a game bet: %(camel)s has your bet to lose"),
        **TRAP_REASONS,
    }

    def __init__(self, seats: int, seed: int) -> None:
        super().__init__(seats, seed)
        self.board = Board()
        for camel in self.rng.sample(range(CAMELS), CAMELS):
            self.board.track[self.rng.randrange(3)].append(camel)
        self.coins = [2] * seats
        self.waiting = [True] * CAMELS
        self.round_bets: list[Bet] = []
        self.game_bets: list[Bet] = []
        self.turn = 0
        self.rounds = 0

    def play(self) -> Play:
        self._add_frame()
        for self.turn in range(1, MOST_TURNS + 1):
            seat = (self.turn - 1) % self.seats
            action = (yield Ask("move", (seat,), default=(ROLL,)))[seat]
            events = self._act(seat, action)
            over = self.board.finished() or self.turn == MOST_TURNS
            if over or not any(self.waiting):
                ranking = self._end_round()
                events["round"] = [*ranking]
            if over:
                self._end_game(ranking)
            self._add_frame(seat=seat, action=list(action), **events)
            if over:
                break
        return self.coins

    def view(self, seat: int) -> str:
        def shown_camel(bet: Bet) -> int | None:
            return bet.camel if bet.seat == seat else None

        state: dict[str, object] = {
            "turn": self.turn,
            "player": seat,
            "camel_track": self.board.track,
            "trap_track": [list(trap) if trap else [] for trap in self.board.traps],
            "player_has_placed_trap": [self._has_trap(player) for player in range(self.seats)],
            "round_bets": [[bet.camel, bet.seat] for bet in self.round_bets],
            "game_winner_bets": [
                [shown_camel(bet), bet.seat] for bet in self.game_bets if bet.kind == WINNER
            ],
            "game_loser_bets": [[shown_camel(bet), bet.seat] for bet in self.game_bets if bet.kind == LOSER],
            "player_game_bets": [
                [shown_camel(bet) for bet in self.game_bets if bet.seat == player]
                for player in range(self.seats)
            ],
            "player_money_values": self.coins,
            "camel_yet_to_move": self.waiting,
        }
        return json.dumps(state, separators=(",", ":")) + "\n"

    def move(self, seat: int, raw: Json) -> tuple[int, ...]:
        """The action, without surplus entries."""
        action = _parse_action(str(raw))
        if action[0] == TRAP:
            self.board.check_trap(seat, action[1], action[2])
        elif action[0] != ROLL and action[1] not in range(CAMELS):
            raise Illegal("no_camel", number=numeral(action[1]))
        if action[0] in (WINNER, LOSER):
            for bet in self.game_bets:
                if (bet.seat, bet.camel) == (seat, action[1]):
                    raise Illegal("bet_to_win" if bet.kind == WINNER else "bet_to_lose", camel=bet.camel)
        return action

    def position(self) -> Reason:
        return Reason("turn", turn=self.turn)

    def summary(self) -> dict[str, Json]:
        """`end`: "finish" (a camel reached square 16) or "limit" (1000 turns)."""
        end = "finish" if self.board.finished() else "limit"
        return {"turns": self.turn, "rounds": self.rounds, "end": end, "ranking": [*self.board.ranking()]}

    def _act(self, seat: int, action: Sequence[int]) -> dict[str, Json]:
        """Carry out a legal action; returns what the frame records of it."""
        kind, *values = action
        if kind == ROLL:
            return {"rolled": self._roll(seat)}
        if kind == TRAP:
            self.board.place(seat, *values)
        else:
            placed = self.round_bets if kind == ROUND else self.game_bets
            placed.append(Bet(kind, values[0], seat))
        return {}

    def _roll(self, seat: int) -> list[Json]:
        """Move a waiting camel; the trap pays its owner, then the roll pays the seat."""
        camel = self.rng.choice([camel for camel in range(CAMELS) if self.waiting[camel]])
        die = self.rng.choice(DICE)
        self.waiting[camel] = False
        trap = self.board.move(camel, die)
        if trap is not None:
            self.coins[trap.owner] += 1
        self.coins[seat] += 1
        return [camel, die, trap.owner if trap is not None else None]

    def _end_round(self) -> list[int]:
        """Settle the round bets and clear the board for the next round; returns the ranking."""
        ranking = self.board.ranking()
        for bet, coins in bets.round_payouts(self.round_bets, ranking):
            self.coins[bet.seat] += coins
        self.round_bets = []
        self.board.traps = [None] * len(self.board.traps)
        self.waiting = [True] * CAMELS
        self.rounds += 1
        return ranking

    def _end_game(self, ranking: Sequence[int]) -> None:
        for bet, coins in bets.game_payouts(self.game_bets, ranking):
            self.coins[bet.seat] += coins

    def _has_trap(self, seat: int) -> bool:
        return any(trap is not None and trap.owner == seat for trap in self.board.traps)

    def _add_frame(self, **more: Json) -> None:
        self.frame(
            turn=self.turn,
            coins=list(self.coins),
            track=[[square, list(stack)] for square, stack in enumerate(self.board.track) if stack],
            traps=[[square, *trap] for square, trap in enumerate(self.board.traps) if trap],
            waiting=list(self.waiting),
            **more,
        )


def _parse_action(raw: str) -> tuple[int, ...]:
    """The action that a line of JSON holds, every needed entry a plain whole number. Raises Illegal."""
    reply = describe_reply(raw.strip(), 80)
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, list) or not answer or type(answer[0]) is not int or answer[0] not in LENGTHS:
        raise Illegal("no_action", shapes=", ".join(_SHAPES[:-1]), last=_SHAPES[-1], reply=reply)
    action = answer[: LENGTHS[answer[0]]]
    if len(action) < LENGTHS[answer[0]]:
        raise Illegal("wrong_shape", shape=_SHAPES[answer[0]], reply=reply)
    if any(type(entry) is not int for entry in action):
        raise Illegal("no_numbers", shape=_SHAPES[answer[0]], reply=reply)
    return tuple(action)
