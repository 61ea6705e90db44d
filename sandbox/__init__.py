"""Runs untrusted programs. Knows nothing of games or of Django.

`open_sandbox()` is the way in; `sandbox.api` has the words everything here is said in.
"""

from sandbox.api import Sandbox, SandboxError
from sandbox.backends import open_sandbox

__all__ = ["Sandbox", "SandboxError", "open_sandbox"]
