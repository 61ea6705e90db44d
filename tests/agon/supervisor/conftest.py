"""Sites that consist of small programs, which the real supervisor runs in a process of its own."""

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

RUN = """
import os, sys
from pathlib import Path
from agon.supervisor.children import Program
from agon.supervisor.supervisor import Supervisor
from agon.supervisor.errors import StartupError

ready, when_ready = os.pipe()
programs = [
    Program(name, ("-c", code), environment={"READY": str(when_ready)}, inherit=(when_ready,))
    for name, code in zip(sys.argv[2::2], sys.argv[3::2])
]
try:
    shortage = eval(os.environ.get("AGON_TEST_SHORTAGE", "lambda: None"))
    Supervisor(programs, Path(sys.argv[1]), ready, lambda: print("ready", flush=True), shortage).run()
except StartupError as trouble:
    sys.exit(str(trouble))
"""
# To the supervisor, this looks like a web server.
WEB = "import os, signal; os.write(int(os.environ['READY']), b'.'); signal.pause()"
WORKER = "import signal; signal.pause()"
# Ignores SIGTERM, and leaves an orphan behind that does the same.
STUBBORN = """
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() != 0:
        os._exit(0)
while True:
    signal.pause()
"""


class Site:
    """A running supervisor. All of its processes have a unique mark in their environment."""

    def __init__(
        self, logs: Path, programs: dict[str, str], under_make: bool, ignoring_interrupts: bool
    ) -> None:
        self.logs, self.mark = logs, f"AGON_TEST_SITE={uuid.uuid4()}"
        name, _, value = self.mark.partition("=")
        arguments = [word for program in programs.items() for word in program]
        command = [sys.executable, "-c", RUN, str(logs), *arguments]
        if under_make:
            (logs / "command.sh").write_text(f"exec {shlex.join(command)}\n")
            (logs / "Makefile").write_text(f"run:\n\t@exec sh {logs}/command.sh\n")
            command = ["make", "--directory", str(logs), "run"]
        # A shell script starts background processes with SIGINT ignored, and these tests may be one of them.
        interrupts = "--ignore-signal=INT" if ignoring_interrupts else "--default-signal=INT"
        self.process = subprocess.Popen(
            ["env", interrupts, *command],
            env=os.environ | {name: value, "PYTHONPATH": os.pathsep.join(map(str, sys.path))},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_until_ready(self) -> None:
        assert self.process.stdout is not None
        lines = iter(self.process.stdout.readline, "")
        assert "ready\n" in lines

    def processes(self) -> list[int]:
        """The pids of all processes with the mark."""
        pids = []
        for environment in Path("/proc").glob("[0-9]*/environ"):
            try:
                if self.mark.encode() in environment.read_bytes().split(b"\0"):
                    pids.append(int(environment.parent.name))
            except OSError:  # the process has ended, or is another user's
                continue
        return pids

    def log(self, name: str) -> str:
        path = self.logs / f"{name}.log"
        return path.read_text() if path.exists() else ""

    def kill_whatever_is_left(self) -> None:
        while left := self.processes():  # repeated, because a process may just have started another one
            for pid in left:
                with contextlib.suppress(ProcessLookupError):  # the process has ended
                    os.kill(pid, signal.SIGKILL)
        self.process.communicate()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """site(web=..., other=...): starts a site of these programs, given as Python code by name."""
    sites = []

    def start(under_make: bool = False, ignoring_interrupts: bool = False, **programs: str) -> Site:
        sites.append(Site(tmp_path, programs, under_make, ignoring_interrupts))
        return sites[-1]

    yield start
    for started in sites:
        started.kill_whatever_is_left()


def eventually(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not true within {seconds} s"
        time.sleep(0.02)
