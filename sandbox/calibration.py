"""How fast a core is: a bot does the same work many times in a box pinned to it.

It is measured as matches are measured: from the question to the answer.
"""

import os
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

from sandbox.api import Artifact, Limits, Line, Sandbox, SandboxError
from sandbox.boxes.channel import exchange

REPEATED = 60  # pieces of work on each core
_LIMIT = 10.0  # seconds, of a piece of work that takes milliseconds
_WORK = """
import sys
def work():
    total = 0
    for number in range(60_000): total = (total * 31 + number) % 1_000_003
    return total
for line in sys.stdin: print(work(), flush=True)
"""


@dataclass(frozen=True)
class CoreSpeed:
    """How long the fixed piece of work takes on one core.

    `spread`: the distance between the quartiles, as a share of the median.
    """

    core: int
    median_ms: float
    spread: float


def calibrate(sandbox: Sandbox, core: int) -> CoreSpeed:
    """Measure the fixed piece of work in a box on this core. Raises SandboxError."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        times = _times(sandbox)
    finally:
        os.sched_setaffinity(0, before)
    first, middle, third = quantiles(times, n=4)
    return CoreSpeed(core, middle, (third - first) / middle)


def _times(sandbox: Sandbox) -> list[float]:
    """Milliseconds of each piece of work, without the first tenth, in which the bot warms up."""
    with tempfile.TemporaryDirectory() as scratch:
        artifact = Artifact(Path(scratch), "calibration", "python", ("python3", "bot.py"), "bot.py")
        artifact.files.mkdir()
        (artifact.files / "bot.py").write_text(_WORK)
        with closing(sandbox.open(artifact, Limits())) as box, closing(box.session()) as session:
            process = session.start()
            answers = [exchange({0: (process, b"\n", _LIMIT)})[0] for _ in range(REPEATED)]
    failed = [answer for answer in answers if not isinstance(answer, Line)]
    if failed:
        raise SandboxError(f"the calibration's bot failed: {failed[0]}")
    return [answer.times.wall_us / 1000 for answer in answers[REPEATED // 10 :]]
