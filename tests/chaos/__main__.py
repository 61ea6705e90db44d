"""`python -m tests.chaos --seed N --minutes M`: breaks a site in every way of faults.py, and says what did
not hold.

Needs root, PostgreSQL, Redis and bubblewrap; for clocks that jump, gcc. Everything is in a
mount namespace of its own and ends with it. The same seed makes the same faults in the same order, though not
at the same moments of the site's work.
"""

import argparse
import json
import os
import random
import sys
from pathlib import Path

from .report import keep
from .run import run

UNSHARED = "AGON_CHAOS_UNSHARED"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep its files and logs in this new folder"
    )
    parser.add_argument(
        "--save", action="store_true", help="keep the figures in benchmarks/results/chaos.json"
    )
    options = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("only root can mount the file systems that are filled")
    if UNSHARED not in os.environ:
        command = [sys.executable, "-m", "tests.chaos", *sys.argv[1:]]
        if "--seed" not in " ".join(sys.argv):
            command += ["--seed", str(options.seed)]
        os.environ[UNSHARED] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", *command])
    if options.keep:
        options.keep.mkdir(parents=True)
    result = run(options.seed, options.minutes, lambda words: print(words, flush=True), options.keep)
    if options.save:
        keep(result.facts)
    print(json.dumps(result.facts, indent=1))
    for words in result.wrong:
        print(f"WRONG: {words}")
    return 1 if result.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
