"""Answers every line it reads with nonsense, which the rules take for lord 0."""

import sys

print("READY", flush=True)
sys.stdin.readline()
sys.stdin.readline()
for line in sys.stdin:
    if line.split()[1:] in (["D"], ["N"]):
        print("nonsense 9 -1 3x 1.9 \u732b", flush=True)
