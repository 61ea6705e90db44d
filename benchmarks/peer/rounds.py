"""Plays kaggle-environments' rps, in an environment of its own (see kaggle.py).

For every line on standard input, a number of matches, one line goes back: the number of rounds.
"""

import sys
from contextlib import redirect_stdout
from typing import Any

with redirect_stdout(sys.stderr):  # it tells which of its games cannot be loaded here
    from kaggle_environments import make  # type: ignore[import-not-found]

ROUNDS = 250


def rock(observation: Any, configuration: Any) -> int:
    return 0


def paper(observation: Any, configuration: Any) -> int:
    return 1


for line in sys.stdin:
    rounds = 0
    for _ in range(int(line)):
        environment = make("rps", configuration={"episodeSteps": ROUNDS + 1})  # one step is the beginning
        rounds += len(environment.run([rock, paper])) - 1
    print(rounds, flush=True)
