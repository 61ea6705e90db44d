"""What two ways to a container share: with the engine (docker.py), or by asking for one (opened.py)."""

from collections.abc import Sequence
from pathlib import Path

from sandbox.api import CORE, Artifact, BuildRun, Limits, SandboxError
from sandbox.backends import seccomp
from sandbox.boxes import box_size, build_box, packages
from sandbox.boxes.agent_link import AgentHost
from sandbox.boxes.box import Box, open_box

PATH = "/usr/local/bin:/usr/bin:/bin"  # of bots


class Containers:
    """The part of sandbox.api.Sandbox that does not depend on how a container is opened."""

    name = "docker"

    def __init__(self) -> None:
        try:
            self.filters = seccomp.program(), b""
        except ValueError as error:
            raise SandboxError(str(error)) from error

    def host(self, family: str, limits: Limits, size: int) -> AgentHost:
        """A new container. size: the bytes of the bot's files. Raises SandboxError."""
        raise NotImplementedError

    def lacks(self, program: str) -> bool:
        return False  # a container keeps its image

    def open(self, artifact: Artifact, limits: Limits) -> Box:
        return self._box(artifact.family, artifact.files, limits, artifact.command, artifact.python)

    def build(
        self,
        source: Path,
        steps: Sequence[Sequence[str]],
        limits: Limits,
        seconds: float,
        result: Path,
        family: str = CORE,
    ) -> BuildRun:
        return build_box.build(self._box(family, source, limits, (), None), steps, limits, seconds, result)

    def _box(
        self, family: str, files: Path, limits: Limits, command: Sequence[str], python: str | None
    ) -> Box:
        host = self.host(family, limits, box_size.files_bytes(files))
        shown = packages.IN_IMAGES if packages.wanted(files) else ""
        return open_box(host, files, limits, self.filters, command, python, shown=shown)
