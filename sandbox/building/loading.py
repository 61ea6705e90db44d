"""Loads each bot that needs an adapter before it is accepted, so that one that cannot be loaded never plays.

The adapter prints READY when the bot's file is loaded, or a line that says why it cannot be used.
"""

from __future__ import annotations

from contextlib import closing

from sandbox.api import Artifact, Failed, Limits, Process, Sandbox
from sandbox.boxes.channel import await_lines
from sandbox.building.adapter import Adapter
from sandbox.hints import with_hint
from sandbox.reason import Reason

_QUOTED = 120  # characters of the last line that a bot printed


def why_unloadable(artifact: Artifact, sandbox: Sandbox, adapter: Adapter) -> tuple[str, str]:
    """Why the bot cannot be loaded ("" if it can), and what it printed. Raises SandboxError."""
    with closing(sandbox.open(artifact, adapter.limits)) as box:
        session = box.session()
        with closing(session):
            failed, line = _load(session.start(), adapter.load_s)
        printed = session.stderr.decode("utf-8", "backslashreplace")
    if failed is None:
        return "", printed
    reason = why_not_loaded(failed, line, adapter.load_s, adapter.limits)
    if failed.kind == "timeout" and printed.strip():
        last = printed.strip().splitlines()[-1][:_QUOTED]
        reason = Reason("%(why)s; the last line that it printed: %(line)s", why=reason, line=last)
    return reason, printed


def why_not_loaded(failed: Failed, line: str, seconds: float, limits: Limits) -> str:
    """Why a bot was not loaded: `line` if its adapter printed a reason, otherwise how it `failed`."""
    if failed.kind == "timeout":
        return Reason("loading took longer than %(seconds)s s", seconds=f"{seconds:g}")
    if failed.kind == "crash" and line:
        return with_hint(line, line, limits)
    return Reason("while it was loaded, it %(why)s", why=failed.reason)


def is_ready(line: bytes) -> bool:
    """Whether a line says READY: in any case, with white space around it."""
    return line.strip().upper() == b"READY"


def _load(process: Process, seconds: float) -> tuple[Failed | None, str]:
    """How loading failed (None if it did not), and the last line that was printed before."""
    last = ""
    while True:
        answer = await_lines({0: (process, seconds)})[0]
        if isinstance(answer, Failed):
            return answer, last
        if is_ready(answer.text):
            return None, last
        last = answer.text.decode("utf-8", "backslashreplace")
        seconds -= answer.times.charged_us / 1_000_000
        if seconds <= 0:
            return Failed("timeout", ""), last
