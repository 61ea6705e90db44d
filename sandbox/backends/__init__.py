"""Chooses and opens a sandbox.

AGON_SANDBOX_OPENER: the socket of a process that opens Docker's boxes for this one (opener.py).
"""

import os

from sandbox.api import Sandbox, SandboxError
from sandbox.backends.docker_socket import check_socket

NAMES = ("docker", "bubblewrap")


def open_sandbox(name: str | None = None) -> Sandbox:
    """Open the sandbox called `name` (`docker` or `bubblewrap`), or the best one that works here.

    Without a name: Docker if its engine answers and has the core image, else bubblewrap.
    Raises SandboxError, which names what is missing and what to install.
    """
    if name is not None:
        return open_named(name)
    reasons = []
    for candidate in NAMES:
        try:
            return open_named(candidate)
        except SandboxError as error:
            reasons.append(f"{candidate}: {error}")
    raise SandboxError("no sandbox works here\n" + "\n".join(reasons))


def open_named(name: str) -> Sandbox:
    """Open the sandbox of that name. Raises SandboxError, which says why it does not work here.

    Only that backend is imported, and Docker's only if an engine listens, for the sake of start-up time: the
    Docker client takes longer to import than a match to play.
    """
    if name == "bubblewrap":
        from sandbox.backends.bubblewrap import Bubblewrap

        return Bubblewrap()
    if name == "docker" and (opener := os.environ.get("AGON_SANDBOX_OPENER")):
        from sandbox.backends.opened import Opened

        return Opened(opener)
    if name == "docker":
        check_socket()
        from sandbox.backends.docker import Docker

        return Docker()
    raise SandboxError(f"there is no sandbox {name!r}: expected one of {', '.join(NAMES)}")
