"""Who is to blame when a box is lost, or goes silent, while a bot runs in it: a table of evidence.

The rule: what can be brought about from inside a box is the bot's fault, unless evidence from outside the box
says otherwise. A loser that could void its match by breaking its box could not lose.

Processes. PID 1 of a box is the agent. The kernel lets no process of a pid namespace kill, stop or trace its
PID 1. So an agent that ended by SIGKILL was killed by the kernel for lack of memory, or from outside.

Trust. A kill for lack of memory is read where no bot can write: in the control group of the box
(bubblewrap), in the events of the engine (Docker). An agent that ended in any other way has failed at
something that only the bot, its files or its processes can have brought about. A silent agent is the bot's
fault, too, if this host gives processes a processor when they want one.
"""

import signal
import time
from typing import NamedTuple

from sandbox.api import Failed, SandboxError

_NAPS, _NAP_S = 40, 0.005
_LATE_S = 0.020  # half of the naps end later than this only on a host that is overloaded


class Death(NamedTuple):
    """What is known from outside a box about the end of its agent."""

    exit: int | None  # its status, minus the signal that killed it; None: it lives, or this is not known
    out_of_memory: bool  # the kernel killed something in this box for lack of memory
    outside: str = ""  # evidence that it was ended from outside: who or what did it


def blame(death: Death, silent_s: float = 0.0) -> Failed:
    """What the bot did that ran in a box which was lost, or whose agent gave no answer for `silent_s`.

    Raises SandboxError, with the evidence, where the platform is to blame.
    """
    if death.out_of_memory:
        return Failed("memory", "ran out of memory")
    if death.outside:
        raise SandboxError(f"the box was lost: {death.outside}")
    if death.exit == -signal.SIGKILL:
        raise SandboxError("the box was lost: its agent was killed from outside")
    if death.exit is not None:
        return Failed("crash", f"broke its sandbox (the agent in it ended with status {death.exit})")
    if late_s := overloaded():
        raise SandboxError(
            f"the agent of a box did not answer within {silent_s:g} s, and this host is overloaded: "
            f"half of our own naps ended more than {late_s * 1000:.0f} ms late"
        )
    return Failed("crash", f"kept its sandbox from answering for {silent_s:g} s")


def overloaded() -> float:
    """How late this process wakes up from naps (the median, in seconds) if that is far too late, else 0.0.

    It takes a fifth of a second on an idle host. A box cannot bring this about where it has a weight of its
    own in the processor's schedule: this process is not in it.
    """
    late = []
    for _ in range(_NAPS):
        before = time.monotonic()
        time.sleep(_NAP_S)
        late.append(time.monotonic() - before - _NAP_S)
    median = sorted(late)[_NAPS // 2]
    return median if median > _LATE_S else 0.0
