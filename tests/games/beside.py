"""A bot of a `function` game at the end of two pipes: its file, the game's adapter and what runs them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from games.core.manifest import load
from sandbox.building import function_runner


def lay_out(slug: str, folder: Path) -> str:
    """Put the two files that the platform puts beside a bot into `folder`; the name of the one to run."""
    shutil.copy(function_runner.__file__, folder / "agon_adapter.py")
    shutil.copy(load(slug).folder / "adapter.py", folder / "agon_game.py")
    return "agon_adapter.py"


class Conversation:
    """What a bot says to lines. `ready` is the first line of all; `words` what it wrote to standard error."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.words = ""
        self.ready = self.read()

    def read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().removesuffix("\n")

    def ask(self, *lines: str) -> list[str]:
        """The answer to each line."""
        assert self._process.stdin is not None
        answers = []
        for line in lines:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
            answers.append(self.read())
        return answers

    def end(self) -> int:
        """Close the input; the exit status."""
        _, self.words = self._process.communicate(timeout=20)
        return self._process.returncode


@contextmanager
def conversation(slug: str, source: str, folder: Path, file: str = "bot.py") -> Iterator[Conversation]:
    """Start a bot of this source in a file of this name."""
    (folder / file).write_text(textwrap.dedent(source))
    command = [sys.executable, "-E", "-s", lay_out(slug, folder), file]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=folder) as process:
        talk = Conversation(process)
        try:
            yield talk
        finally:
            if process.poll() is None:
                talk.end()
