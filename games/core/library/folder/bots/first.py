"""First: makes the first of its legal moves, always."""

import sys

print("READY", flush=True)
for head in sys.stdin:
    _, lines, count = map(int, head.split())
    asked = [input() for _ in range(lines + count)]
    print(asked[lines], flush=True)
