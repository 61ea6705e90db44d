"""A separate Docker engine for one test, which can be stopped, killed and started again."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from agon.supervisor.children import adopt_orphans, die_with_parent
from sandbox.backends import docker_images

PATIENCE = 60.0  # seconds for an engine to answer
_PACK = """
    programs="/usr/bin/python3* /usr/bin/sh /usr/bin/dash /usr/bin/bash /usr/bin/sleep"
    libraries=$(ldd $programs /usr/lib/python3*/lib-dynload/*.so 2>/dev/null |
        grep -o "/[^ ):]*" | sed "s#^/lib#/usr/lib#" | sort -u)
    cd / && exec tar --create --no-recursion bin lib lib64 sbin dev proc sys tmp etc/passwd \\
        $(for path in $programs $libraries $(realpath $libraries) $(find /agent /usr/lib/python3.11)
          do echo "${path#/}"; done | sort -u)
"""


class Engine:
    """A Docker engine with its state below `folder`, and the core image of the other tests' engine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.host = f"unix://{folder}/docker.sock"
        self.log = folder / "engine.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.seen: set[str] = set()  # ids of containers, removed ones included
        adopt_orphans()

    def start(self) -> None:
        # In its own mount namespace: its mounts do not appear on the host, and disappear with it.
        command = ["unshare", "--mount", "dockerd", "--bridge=none", "--iptables=false", "--ip6tables=false"]
        command += ["--data-root", f"{self.folder}/data", "--exec-root", f"{self.folder}/run"]
        command += ["--pidfile", f"{self.folder}/pid", "--host", self.host]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | {"TMPDIR": str(self.folder)},  # where it dumps its stacks if it ends slowly
                process_group=0,
                preexec_fn=die_with_parent(os.getpid()),
            )
        deadline = time.monotonic() + PATIENCE
        while self._docker("version").returncode != 0:
            assert time.monotonic() < deadline, self.log.read_text()[-3000:]
            assert self.process.poll() is None, self.log.read_text()[-3000:]
            time.sleep(0.2)  # each call of the client costs more than 10 ms of processor time

    def end(self, number: signal.Signals) -> None:
        assert self.process is not None
        containerd = int((self.folder / "run" / "containerd" / "containerd.pid").read_text())
        self.process.send_signal(number)
        self.process.wait(60)
        with suppress(ChildProcessError):  # the next engine would take a zombie for a running containerd
            os.waitpid(containerd, 0)

    def restart(self, number: signal.Signals) -> None:
        self.end(number)
        self.start()

    def load_image(self) -> None:
        """Load the part of the core image that a Python bot needs; all of it would take 15 s."""
        name = docker_images.tag("core")
        pack = ["docker", "run", "--rm", "--network", "none", name, "sh", "-c", _PACK]
        with subprocess.Popen(pack, stdout=subprocess.PIPE) as packed:
            subprocess.run(
                ["docker", "--host", self.host, "import", "-", name],
                stdin=packed.stdout,
                check=True,
                capture_output=True,
            )
        assert packed.returncode == 0, f"{name} could not be packed"

    def containers(self) -> set[str]:
        """Ids of all containers, running or not.

        After a kill at the wrong moment, Docker 20.10 still lists containers that do not exist for `inspect`;
        these are left out.
        """
        listed = self._docker("ps", "--all", "--quiet", "--no-trunc").stdout.split()
        ids = set(self._docker("inspect", "--format", "{{.Id}}", *listed).stdout.split()) if listed else set()
        self.seen |= ids
        return ids

    def agents(self) -> list[int]:
        """The pid of PID 1 of each running container."""
        pids = self._docker("inspect", "--format", "{{.State.Pid}}", *self.containers()).stdout.split()
        return [int(pid) for pid in pids if pid != "0"]

    def _docker(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["docker", "--host", self.host, *words], capture_output=True, text=True)
