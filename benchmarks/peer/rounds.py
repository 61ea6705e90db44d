"""Plays the rps game of kaggle-environments, in a virtual environment of its own (see kaggle.py).

Reads lines with a number of matches, and answers each with the number of rounds played.
"""

import sys
from contextlib import redirect_stdout
from typing import Any

with redirect_stdout(sys.stderr):  # the import prints which games cannot be loaded
    from kaggle_environments import make  # type: ignore[import-not-found]

ROUNDS = 250


def rock(observation: Any, configuration: Any) -> int:
    return 0


def paper(observation: Any, configuration: Any) -> int:
    return 1


for line in sys.stdin:
    rounds = 0
    for _ in range(int(line)):
        environment = make("rps", configuration={"episodeSteps": ROUNDS + 1})  # the first step is not a round
        rounds += len(environment.run([rock, paper])) - 1
    print(rounds, flush=True)
