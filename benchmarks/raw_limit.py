"""The raw limit: two processes on one core that bounce lines with os.read and os.write, and nothing else.

As many lines as a match of Honest Rock-Paper-Scissors needs, and the same ones: a claim and a throw of two
bots in each of 250 rounds. No second bot, no start, no game: just what the pipes themselves take.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

ROUNDS = 250
_LINE = 100


@contextmanager
def bouncer() -> Iterator[tuple[int, int]]:
    """A process that answers a line with a line: (where it is asked, where it answers)."""
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
    """The lines of one match, there and back."""
    for _ in range(ROUNDS):
        for line in (b"C R\n", b"C R\n", b"T R\n", b"T R\n"):
            os.write(ask, line)
            os.read(answer, _LINE)
