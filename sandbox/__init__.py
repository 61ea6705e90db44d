"""Runs untrusted programs. Knows nothing of games or of Django.

`sandbox.backends.open_sandbox()` is the entry point; `sandbox.api` defines the types that callers use.
"""
