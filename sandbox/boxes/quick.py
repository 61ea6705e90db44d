"""Quick answers: the common case of asking bots for one line each. channel.py handles all others.

Theory of operation. Most bots answer at once: with one write, one line, in a small part of their limit. Such
an answer is in time whatever else the host does, since no bot is charged more than its wall time. So only
wall time is measured.

Processes:
- The referee, here, and the bots. No agent is asked.

Pipes:
- All bots of an ask share two polls, one before the questions and one after. Each costs a write and a read.

Trust:
- An answer is quick if it is one whole line, came within a quarter of the limit, and the referee never slept
  for five milliseconds until then.
- A bot whose last answer was not quick is not asked here, so that all that it uses is measured. Nor is one
  that has more than one thread, is suspended, owes late answers, or has written anything when it is asked.
- What a bot writes after a quick answer is noticed when it is asked again.

Failure:
- Nothing fails here. A bot whose answer is not quick is handed over as it is: what was read is in its
  process's buffer.
"""

import os
import select
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from sandbox.api import Failed, Line, Times
from sandbox.boxes.process import Process

K = TypeVar("K")

QUICK_NS = 5_000_000
# A shorter sleep would make the kernel set its timer again, which takes longer than all the rest.
_SLEEP_MS = QUICK_NS // 1_000_000
_SLEEP_SHARE = 16  # the sleep is at most the limit divided by this
_QUARTER_NS = 250_000_000  # of a second of the limit


class PendingQuestion(NamedTuple):
    """A question that got no quick answer. unsent: the rest of the question. asked_ns: monotonic clock."""

    unsent: bytes
    asked_ns: int
    slept_ns: int  # how long the referee has slept since then, of its own accord


def ask_quickly(
    asks: Mapping[K, tuple[Process, bytes, float]], answers: dict[K, Line | Failed]
) -> dict[K, PendingQuestion] | None:
    """Ask all bots and put quick answers into `answers`; returns the questions that got none.

    None, and no bot is asked, if the answer of one of them has to be measured in full (channel.py).
    """
    if not all([process.can_be_quick for process, _, _ in asks.values()]):
        return None
    poll = poll_for(tuple([process.stdout for process, _, _ in asks.values()]))
    if poll.poll(0):
        return None
    left: dict[K, PendingQuestion] = {}
    waiting: dict[int, tuple[K, Process, int]] = {}  # by the descriptor of its output
    until_ns = 0
    sleep_ms = _SLEEP_MS
    for key, (process, data, seconds) in asks.items():
        asked_ns = time.monotonic_ns()
        if unsent := _send(process, data):
            left[key] = PendingQuestion(unsent, asked_ns, 0)
            continue
        waiting[process.stdout] = key, process, asked_ns
        quarter_ns = asked_ns + int(seconds * _QUARTER_NS)
        if not until_ns or quarter_ns < until_ns:
            until_ns = quarter_ns
            sleep_ms = min(_SLEEP_MS, max(1, int(1000 * seconds / _SLEEP_SHARE)))
    slept_ns = 0
    now_ns = time.monotonic_ns()
    while waiting:
        before_ns = now_ns
        ready = poll.poll(sleep_ms)
        now_ns = time.monotonic_ns()
        slept_ns += min(now_ns - before_ns, sleep_ms * 1_000_000)
        if not ready or now_ns > until_ns or not _take_answers(ready, waiting, answers, now_ns):
            break
    for key, process, asked_ns in waiting.values():
        process.quick = False
        left[key] = PendingQuestion(b"", asked_ns, slept_ns)
    return left


def _send(process: Process, data: bytes) -> bytes:
    """Write what the bot takes at once; returns the rest."""
    try:
        return data[os.write(process.stdin, data) :]
    except OSError:  # full, closed by the bot, or closed here
        return data


def _take_answers(
    ready: Sequence[tuple[int, int]],
    waiting: dict[int, tuple[K, Process, int]],
    answers: dict[K, Line | Failed],
    now_ns: int,
) -> bool:
    """Move bots with a quick answer from `waiting` to `answers`; False if one of `ready` has none."""
    for fd, _ in ready:
        if fd not in waiting:  # the bot wrote more than an answer
            return False
        key, process, asked_ns = waiting[fd]
        line = process.read_at_once()
        if line is None:
            return False
        del waiting[fd]
        answers[key] = Line(line, Times((now_ns - asked_ns) // 1000, 0, 0, False))
    return True


_polls: dict[tuple[int, ...], "select.poll"] = {}


def poll_for(fds: tuple[int, ...]) -> "select.poll":
    """A poll of these descriptors for reading. It knows only numbers, so it can be kept and used again."""
    poll = _polls.get(fds)
    if poll is None:
        if len(_polls) > 100:
            _polls.clear()
        poll = _polls[fds] = select.poll()
        for fd in fds:
            poll.register(fd, select.POLLIN)
    return poll
