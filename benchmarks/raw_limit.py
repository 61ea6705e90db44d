"""The raw limit: two processes on one core that only exchange lines, with os.read and os.write.

They exchange the lines of a match of Honest Rock-Paper-Scissors: a claim and a throw of two bots in each of
250 rounds. There is no second bot, no start of a process and no game: this is the time of the pipes alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

ROUNDS = 250
_LINE = 100


@contextmanager
def echo_process() -> Iterator[tuple[int, int]]:
    """Run a process that answers each line with a line; yields descriptors (to write to, to read from)."""
    their_in, our_out = os.pipe()
    our_in, their_out = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(our_out)
        os.close(our_in)
        while os.read(their_in, _LINE):
            os.write(their_out, b"R\n")
        os._exit(0)
    os.close(their_in)
    os.close(their_out)
    try:
        yield our_out, our_in
    finally:
        os.close(our_out)
        os.close(our_in)
        os.waitpid(pid, 0)


def match(ask: int, answer: int) -> None:
    """Exchange the lines of one match."""
    for _ in range(ROUNDS):
        for line in (b"C R\n", b"C R\n", b"T R\n", b"T R\n"):
            os.write(ask, line)
            os.read(answer, _LINE)
