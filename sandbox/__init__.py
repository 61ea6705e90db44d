"""Runs untrusted programs. Knows nothing of games or of Django.

`open_sandbox()` is the way in; `sandbox.api` has the words everything here is said in.
"""

from sandbox.api import Sandbox, SandboxError

__all__ = ["Sandbox", "SandboxError", "open_sandbox"]


def open_sandbox(name: str | None = None) -> Sandbox:
    """The sandbox called `name` (`docker` or `bubblewrap`), or the best one that works here.

    Without a name: Docker if its engine answers and the image is there, else bubblewrap.
    Raises SandboxError, saying what is missing and what to install.
    """
    from sandbox.backends import choose

    return choose(name)
