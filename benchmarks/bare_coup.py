"""A bare controller of Coup, as an organizer might write it: it starts a program for every move.

It is a separate implementation of the rules of games/coup, without sandbox, time limits and records. An
illegal answer ends the run.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

SHOWN = {"_": "~", "'": "^", "<": "*", "=": "!", "0": "$"}
LOST = {shown: lost for lost, shown in SHOWN.items()}
NEEDED = {"E": "_", "T": "0", "A": "'", "S": "<", "d": "0", "a": "_", "c": "<", "s": "="}
MOST_CALLS = 200


class Player:
    def __init__(self, command: Sequence[str], deck: list[str]) -> None:
        self.command = command
        self.coins = 1
        self.cards = [deck.pop(), deck.pop()]


def play(commands: Sequence[Sequence[str]], history: Path, seed: int) -> int:
    """Play one game; returns the number of moves."""
    deck = list("_'<=0" * 3)
    dice = random.Random(seed)
    dice.shuffle(deck)
    players = [Player(command, deck) for command in commands]
    history.write_text("")
    for call in range(MOST_CALLS):
        me, other = players[call % 2], players[1 - call % 2]
        before = history.read_text()
        line = before[before.rfind("\n") + 1 :]
        legal = legal_moves(before, me, other)
        drawn = [deck.pop(), deck.pop()] if exchanges(line) else []
        cards = "".join(SHOWN[card] for card in drawn + me.cards)
        args = [*me.command, str(history), str(other.coins), str(me.coins), cards, *legal]
        output = subprocess.run(args, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
        after = history.read_text()
        move = after[len(before) :]
        if not after.startswith(before) or move not in legal:
            raise RuntimeError(f"{me.command} wrote {move!r}, legal: {legal}")
        if drawn:
            kept = [LOST[card] for card in output]
            deck += without(drawn + me.cards, kept)
            me.cards = kept
            dice.shuffle(deck)
        apply(move, line, me, other, deck, dice)
        if not me.cards:
            return call + 1
    return MOST_CALLS


def exchanges(line: str) -> bool:
    return line[:1] == "E" and len(line) % 2 == 0 and line[-1] in "p_'<=0"


def legal_moves(history: str, me: Player, other: Player) -> list[str]:
    last = history[-1:]
    if last in ("", "\n"):
        return actions(me, other, first=not history)
    if last == "F":
        return ["d", "p"]
    if last in "ET":
        return ["p", "q"]
    if last == "S":
        return ["a", "c", "p", "q"]
    if last == "A":
        return ["s", "q", *me.cards]
    if last == "C":
        return me.cards
    if last in "dacs":
        return ["q", "\n"]
    on_turn = [f"{card}\n" for card in me.cards]
    if last == "q":
        claim = history[-2]
        if NEEDED[claim] in me.cards:
            return [SHOWN[NEEDED[claim]]]
        return me.cards if claim in "dacs" else on_turn
    if last in "~^*!$":
        return on_turn if history[-3] in "dacs" else me.cards
    return ["\n"]


def actions(me: Player, other: Player, first: bool) -> list[str]:
    if first:
        return ["I\n", "F", "E", "S", "T"]
    if me.coins >= 10:
        return ["C"]
    possible = {"A": me.coins >= 3, "C": me.coins >= 7, "S": other.coins > 0}
    return ["I\n", "F", "E", "T", *(action for action, can in possible.items() if can)]


def apply(move: str, line: str, me: Player, other: Player, deck: list[str], dice: random.Random) -> None:
    if move == "I\n":
        me.coins += 1
    elif move in LOST:
        if line[0] != "E":
            me.cards.remove(LOST[move])
            me.cards.append(deck.pop())
            deck.append(LOST[move])
            dice.shuffle(deck)
    elif move[0] in SHOWN:
        me.cards.remove(move[0])
        if line == "Asq!":
            me.coins -= 3
        elif len(move) == 1 and line[0] in "AC":
            other.coins -= 3 if line[0] == "A" else 7
            if line in ("Aq^", "Asq"):
                me.cards = []
    elif move == "\n":
        end_turn(line, me, other)


def end_turn(line: str, me: Player, other: Player) -> None:
    if line == "As":
        me.coins -= 3
    elif line[-1] in "p_'<=0":
        if line[0] in "FT":
            me.coins += 2 if line[0] == "F" else 3
        elif line[0] == "S":
            stolen = min(2, other.coins)
            me.coins += stolen
            other.coins -= stolen


def without(cards: list[str], taken: list[str]) -> list[str]:
    left = list(cards)
    for card in taken:
        left.remove(card)
    return left
