"""Runs untrusted programs. Knows nothing of games or of Django.

`open_sandbox()` is the entry point; `sandbox.api` defines the types that callers use.
"""

from sandbox.api import Sandbox, SandboxError
from sandbox.backends import open_sandbox

__all__ = ["Sandbox", "SandboxError", "open_sandbox"]
