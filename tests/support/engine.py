"""A Docker engine of a test's own, to be stopped, killed and started again."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from sandbox.backends import docker_images
from supervisor.children import adopt_orphans, die_with_parent

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
    """Its state is below `folder`; it holds the core image, taken from the engine of the other tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.host = f"unix://{folder}/docker.sock"
        self.log = folder / "engine.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.seen: set[str] = set()  # containers
        adopt_orphans()

    def start(self) -> None:
        # What it mounts is gone with a mount namespace of its own, and so is not this machine's.
        command = ["unshare", "--mount", "dockerd", "--bridge=none", "--iptables=false", "--ip6tables=false"]
        command += ["--data-root", f"{self.folder}/data", "--exec-root", f"{self.folder}/run"]
        command += ["--pidfile", f"{self.folder}/pid", "--host", self.host]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | {"TMPDIR": str(self.folder)},  # where it tells its stacks, if it ends slowly
                process_group=0,
                preexec_fn=die_with_parent(os.getpid()),
            )
        deadline = time.monotonic() + PATIENCE
        while self._docker("version").returncode != 0:
            assert time.monotonic() < deadline, self.log.read_text()[-3000:]
            assert self.process.poll() is None, self.log.read_text()[-3000:]
            time.sleep(0.2)  # each question takes the client more than a hundredth of a second

    def end(self, number: signal.Signals) -> None:
        assert self.process is not None
        containerd = int((self.folder / "run" / "containerd" / "containerd.pid").read_text())
        self.process.send_signal(number)
        self.process.wait(60)
        with suppress(ChildProcessError):  # the next engine takes a dead one that is not reaped for alive
            os.waitpid(containerd, 0)

    def restart(self, number: signal.Signals) -> None:
        self.end(number)
        self.start()

    def load_image(self) -> None:
        """Of the core image as much as a Python bot needs: the whole would take a quarter of a minute."""
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
        """Identifiers of all there are, running or not.

        Docker 20.10, killed in the wrong moment, goes on listing one of which it says itself that there is no
        such container.
        """
        listed = self._docker("ps", "--all", "--quiet", "--no-trunc").stdout.split()
        there = (
            set(self._docker("inspect", "--format", "{{.Id}}", *listed).stdout.split()) if listed else set()
        )
        self.seen |= there
        return there

    def agents(self) -> list[int]:
        """The first process of each container that runs."""
        pids = self._docker("inspect", "--format", "{{.State.Pid}}", *self.containers()).stdout.split()
        return [int(pid) for pid in pids if pid != "0"]

    def _docker(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["docker", "--host", self.host, *words], capture_output=True, text=True)
