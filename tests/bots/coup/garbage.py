"""Appends nonsense to the history."""

import sys

with open(sys.argv[1], "a") as history:
    history.write("garbage")
