"""Ends a worker in which no Python code runs any more, so that it is started again.

A game's referee may loop within code in C, as in a regular expression that takes exponential time. No signal
handler and no thread of Python runs then, so that nothing in this process could interrupt the match.

- Threads: a daemon thread sets a timer again and again. What the timer starts, a thread in C, needs no
  Python: it writes where the code is to the worker's log, and ends the process.
- Failure: the lease of the match expires, and the attempt counts as that of a worker that was lost. A worker
  that was itself stopped for so long ends when it is continued.
"""

import faulthandler
import threading
import time

from celery.signals import worker_ready

STDERR = 2  # sys.stderr is Celery's, which is no file
STILL = 60.0  # seconds
SET_AGAIN = 5.0  # seconds


@worker_ready.connect
def begin(**_: object) -> None:
    threading.Thread(target=_watch, name="standing still", daemon=True).start()


def _watch() -> None:
    while True:
        faulthandler.dump_traceback_later(STILL, exit=True, file=STDERR)
        time.sleep(SET_AGAIN)
