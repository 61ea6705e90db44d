"""Who is to blame when a box is lost, or does not answer, while a bot runs in it: a table of evidence.

The rule: what can be brought about from inside a box is the bot's fault, unless evidence from outside the box
says otherwise. If a losing bot could void its match by breaking its box, it could not lose.

- PID 1 of a box is the agent. The kernel lets no process of a pid namespace kill, stop or trace its PID 1. So
  an agent that ended by SIGKILL was killed by the kernel for lack of memory, or from outside.
- Kills for lack of memory are read where no bot can write: in the control group of the box (bubblewrap), or
  in the events of the engine (Docker).
- An agent that ended in any other way failed at something that only the bot, its files or its processes can
  have brought about.
- A silent agent is the bot's fault, too, if this host gives processes a processor when they want one.
"""

import signal
import time
from typing import NamedTuple

from sandbox.api import Failed, MachineTooBusy, SandboxError
from sandbox.reason import Reason

_NAPS, _NAP_S = 40, 0.005
_LATE_S = 0.020  # the median delay of naps is longer than this only on an overloaded host


class Death(NamedTuple):
    """What is known from outside a box about the end of its agent."""

    exit: int | None  # its status, minus the signal that killed it; None: it lives, or this is unknown
    out_of_memory: bool  # the kernel killed something in this box for lack of memory
    outside: str = ""  # evidence that it was ended from outside


def blame(death: Death, silent_s: float = 0.0) -> Failed:
    """The failure of a bot whose box was lost, or whose agent gave no answer for `silent_s`.

    If the platform is to blame, raises SandboxError with the evidence.
    """
    if death.out_of_memory:
        return Failed("memory", Reason("out_of_memory"))
    if death.outside:
        raise SandboxError(f"the box was lost: {death.outside}")
    if death.exit == -signal.SIGKILL:
        raise SandboxError("the box was lost: its agent was killed from outside")
    if death.exit is not None:
        broken = Reason("sandbox_broken", status=death.exit)
        return Failed("crash", broken)
    if late_s := overload_delay_s():
        raise MachineTooBusy(
            f"the agent of a box did not answer within {silent_s:g} s, and this host is overloaded: "
            f"half of our own naps ended more than {late_s * 1000:.0f} ms late"
        )
    silent = Reason("sandbox_kept_silent", seconds=silent_s)
    return Failed("crash", silent)


def overload_delay_s() -> float:
    """How late this process wakes up from short sleeps (the median, in seconds); 0.0 if that is normal.

    Takes a fifth of a second on an idle host. A box that has its own weight in the scheduler cannot bring
    this about: this process is outside of it.
    """
    late = []
    for _ in range(_NAPS):
        before = time.monotonic()
        time.sleep(_NAP_S)
        late.append(time.monotonic() - before - _NAP_S)
    median = sorted(late)[_NAPS // 2]
    return median if median > _LATE_S else 0.0
