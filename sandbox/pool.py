"""Warm boxes, kept between matches: opening one takes 70 to 300 ms, a session in a warm one 3 ms."""

from collections import OrderedDict

from sandbox.api import Artifact, Box, Limits, Sandbox


class Pool:
    """Boxes of one sandbox under one set of limits; at most `most`, idle ones included.

    A box is lent to one user at a time; a submission that plays against itself gets two. When room is
    needed the idle box that was used longest ago is closed. Boxes that are lent are never closed, so
    there can be more than `most` only while more are lent. For one thread.
    """

    def __init__(self, sandbox: Sandbox, limits: Limits, most: int = 8) -> None:
        self.sandbox = sandbox
        self.limits = limits
        self.most = most
        self._idle: OrderedDict[int, Box] = OrderedDict()  # the one used longest ago first
        self._digests: dict[int, str] = {}  # of every box, lent or idle

    def take(self, artifact: Artifact) -> Box:
        """A box for this artifact, warm if there is one. Raises SandboxError."""
        for key, box in reversed(self._idle.items()):
            if self._digests[key] == artifact.digest:
                del self._idle[key]
                if box.alive:
                    return box
                self._drop(box)
                break
        self._make_room(self.most - 1)
        box = self.sandbox.open(artifact, self.limits)
        self._digests[id(box)] = artifact.digest
        return box

    def give(self, box: Box) -> None:
        """Take a box back. One that is no longer alive is forgotten."""
        if box.alive:
            self._idle[id(box)] = box
            self._make_room(self.most)
        else:
            self._drop(box)

    def close(self) -> None:
        """Close the idle boxes. Boxes still lent are their users' to close."""
        self._make_room(0)

    def _make_room(self, most: int) -> None:
        while self._idle and len(self._digests) > most:
            _, oldest = self._idle.popitem(last=False)
            self._drop(oldest)

    def _drop(self, box: Box) -> None:
        del self._digests[id(box)]
        box.close()
