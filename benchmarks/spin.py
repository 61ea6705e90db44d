"""Measures the work that a core does: runs a loop of plain Python for the seconds in each line on stdin.

Two cores that share a clock, a cache or one physical core do less than twice the work of one, and two workers
cannot do better than two of these loops. Prints iterations and seconds, as `benchmarks.site work` does.
"""

import os
import sys
import time

os.sched_setaffinity(0, {int(os.environ["AGON_CORE"])})
for line in sys.stdin:
    count = 0
    began = time.perf_counter()
    while (took := time.perf_counter() - began) < float(line):
        sorted(str(number) for number in range(1000))
        count += 1
    print(count, took, flush=True)
