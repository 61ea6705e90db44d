"""Plays kaggle-environments' rps, in a virtual environment of its own (see kaggle.py).

Each line on standard input is a number of matches; it answers with the number of rounds played.
"""

import sys
from contextlib import redirect_stdout
from typing import Any

with redirect_stdout(sys.stderr):  # it prints which of its games cannot be loaded here
    from kaggle_environments import make  # type: ignore[import-not-found]

ROUNDS = 250


def rock(observation: Any, configuration: Any) -> int:
    return 0


def paper(observation: Any, configuration: Any) -> int:
    return 1


for line in sys.stdin:
    rounds = 0
    for _ in range(int(line)):
        environment = make("rps", configuration={"episodeSteps": ROUNDS + 1})  # the first step is no round
        rounds += len(environment.run([rock, paper])) - 1
    print(rounds, flush=True)
