"""A bare controller of Samurai, as an organizer might write it: a loop over the pipes of four programs.

It is a separate implementation of the rules of games/samurai, without sandbox, time limits and records. An
illegal answer ends the run.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from fractions import Fraction

LORDS, TURNS = 6, 9
Table = list[list[int]]  # a row per player, a column per lord


class Bot:
    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def say(self, text: str) -> None:
        self.stdin.write(text)
        self.stdin.flush()

    def hear(self) -> str:
        line = self.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args!r} has ended")
        return line

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.stdin.close()
        self.stdout.close()


def play(commands: Sequence[Sequence[str]], seed: int) -> list[Fraction]:
    """Play one match; returns the points by player."""
    dice = random.Random(seed)
    strengths = [dice.randint(3, 6) for _ in range(LORDS)]
    bots = [Bot(command) for command in commands]
    for bot in bots:
        while bot.hear().strip().upper() != "READY":
            pass
        bot.say(f"{TURNS} {len(bots)} {LORDS}\n{words(strengths)}\n")
    real, shown = ([[0] * LORDS for _ in bots] for _ in range(2))
    points = [Fraction(0)] * len(bots)
    night = [0] * LORDS
    for turn in range(1, TURNS + 1):
        day = turn % 2 == 1
        for seat, bot in enumerate(bots):
            bot.say(block(turn, day, seat, shown, real, night))
        night = negotiate([bot.hear() for bot in bots], day, real, shown, night)
        if turn == 5:
            shown = [list(row) for row in real]
        if turn in (5, TURNS):
            battle(points, strengths, real)
    for bot in bots:
        bot.end()
    return points


def block(turn: int, day: bool, seat: int, shown: Table, real: Table, night: Sequence[int]) -> str:
    order = [seat, *(other for other in range(len(shown)) if other != seat)]
    lines = [f"{turn} {'D' if day else 'N'}"]
    lines += [words([shown[player][lord] for player in order]) for lord in range(LORDS)]
    lines.append(words(real[seat]))
    if day:
        lines.append(words(night))
    return "\n".join(lines) + "\n"


def negotiate(answers: Sequence[str], day: bool, real: Table, shown: Table, night: list[int]) -> list[int]:
    """Count all picks; returns how often each lord was picked in the last night."""
    if not day:
        night = [0] * LORDS
    for seat, answer in enumerate(answers):
        for lord in picks(answer, 5 if day else 2):
            real[seat][lord] += 1 if day else 2
            if day:
                shown[seat][lord] += 1
            else:
                night[lord] += 1
    return night


def picks(answer: str, count: int) -> list[int]:
    numbers = [int(word) if word.isdigit() and int(word) < LORDS else 0 for word in answer.split()]
    return (numbers + [0] * count)[:count]


def battle(points: list[Fraction], strengths: Sequence[int], real: Table) -> None:
    for lord, strength in enumerate(strengths):
        column = [row[lord] for row in real]
        for extreme, sign in ((max(column), 1), (min(column), -1)):
            for seat, favor in enumerate(column):
                if favor == extreme:
                    points[seat] += Fraction(sign * strength, column.count(extreme))


def words(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))
