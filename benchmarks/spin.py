"""Measures how much two cores of this machine do: a loop of plain Python, for as long as each line on stdin
says.

Two cores that share a clock, a cache or the units of one physical core do not do twice the work of one; two
workers cannot do better than two of these loops. Answers like `benchmarks.site work`: iterations and seconds.
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
