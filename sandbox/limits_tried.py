"""Whether the limits of a box hold here, tried by a bot that exceeds them: memory, processes and files.

What a backend is set to do and what a kernel does differ: a cgroup without the memory controller, or an
engine without it, takes a limit and does not keep it. A machine that plays for others has to show that it
keeps them.
"""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sandbox.api import Artifact, Failed, Limits, Line, Sandbox, SandboxError
from sandbox.boxes.channel import exchange

# Small, so that a machine on which they do not hold stays well: the bot tries for twice as much.
TRIED = Limits(memory_mib=96, processes=24, work_mib=16)
SECONDS = 20.0  # for each try
SLACK = 1.25  # what is measured from inside is not quite what the kernel counts
PATIENCE = 1.0  # seconds for which the bot keeps what it has got
_GREEDY = """
import os, sys, time
what, most, patience = sys.stdin.readline().split()
most, patience, got = int(most), float(patience), 0
try:
    if what == "memory":  # in children, too: the limit is for all of them together
        children = []
        for _ in range(4):
            end, child_end = os.pipe()
            if not os.fork():
                kept, parts = [], 0
                try:
                    for parts in range(1, most // 4 + 1):
                        kept.append(b"x" * (1 << 20))
                except MemoryError:
                    parts -= 1
                os.write(child_end, b"%d" % parts)
                time.sleep(patience)
                os._exit(0)
            os.close(child_end)
            children.append(end)
        got = sum(int(os.read(end, 20) or 0) for end in children)
        alive = 0
        for _ in children:
            alive += os.waitstatus_to_exitcode(os.wait()[1]) == 0
        got = got if alive == len(children) else 0
    elif what == "processes":
        for _ in range(most):
            if not os.fork():
                time.sleep(patience)
                os._exit(0)
            got += 1
    else:
        with open("greedy", "wb") as file:
            for _ in range(most):
                file.write(b"x" * (1 << 20))
                file.flush()
                got += 1
except (OSError, MemoryError):
    pass
print(got, flush=True)
"""


def failing(sandbox: Sandbox) -> Iterator[tuple[str, str]]:
    """The limits that a bot exceeded: which, and what it got. Raises SandboxError if no bot can be tried."""
    asked = {"memory": TRIED.memory_mib, "processes": TRIED.processes, "files": TRIED.work_mib}
    units = {"memory": "MiB", "processes": "processes", "files": "MiB"}
    with tempfile.TemporaryDirectory() as scratch:
        artifact = Artifact(Path(scratch), "greedy", "python", ("python3", "bot.py"), "bot.py")
        artifact.files.mkdir()
        (artifact.files / "bot.py").write_text(_GREEDY)
        for name, limit in asked.items():
            got = _got(sandbox, artifact, name, 2 * limit)
            if got > SLACK * limit:
                yield name, f"a bot got {got} {units[name]}, and its limit is {limit}"


def _got(sandbox: Sandbox, artifact: Artifact, name: str, most: int) -> int:
    """How much the bot got; 0 if it was killed for it."""
    question = f"{name} {most} {PATIENCE}\n".encode()
    with closing(sandbox.open(artifact, TRIED)) as box, closing(box.session()) as session:
        answer = exchange({0: (session.start(), question, SECONDS)})[0]
    if isinstance(answer, Failed):
        return 0
    if not isinstance(answer, Line) or not answer.text.isdigit():
        raise SandboxError(f"the bot that tries the limit of {name} answered {answer!r}")
    return int(answer.text)
