"""The commands with which bare controllers start bots: a Python interpreter, or a program compiled by gcc."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

# Debian's Python if installed: a `python3` earlier on the PATH may be a shell script, or start more slowly.
PYTHON = ("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else os.path.realpath(sys.executable),)
LEAN = (*PYTHON, "-I", "-S")
# The interpreter that boxes of the bubblewrap backend use, with whatever its `site` module loads.
OURS = (os.path.realpath(sys.executable),)

GCC = ("gcc", "-std=gnu17", "-O2")
STATIC = (*GCC, "-static")  # starts faster, without dynamic linking


def interpreted(bots: Sequence[Path], python: Sequence[str] = PYTHON) -> list[list[str]]:
    """The command of each bot."""
    return [[*python, str(bot)] for bot in bots]


def compiled(bots: Sequence[Path], folder: Path, gcc: Sequence[str] = GCC) -> list[list[str]]:
    """Compile the bots into `folder`; returns the command of each."""
    programs = [folder / f"{bot.stem}-{len(gcc)}" for bot in bots]
    for bot, program in zip(bots, programs, strict=True):
        subprocess.run([*gcc, "-o", program, bot, "-lm"], check=True)
    return [[str(program)] for program in programs]
