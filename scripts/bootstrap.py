"""Make `.venv` ready: the one step between a fresh clone and everything else.

Runs on a bare Python 3.11 (`make` finds one), with nothing but its standard library:

1. `.venv` is made without pip, because Debian's `python3.11` alone has no `ensurepip`.
2. pip is run out of the wheel in `vendor/` and installs the locked requirements, every file
   checked against its hash.
3. Agon itself is installed "editable", so that `.venv/bin/agon` exists.
4. A stamp of everything that went in is left in `.venv`; while it is the same, steps 1 to 3 are
   skipped and this takes a few milliseconds. With another Python `.venv` is made anew.

Where packages come from is the user's pip configuration alone. An interrupted or moved `.venv` is
made anew; two runs at once wait for each other.

    python3.11 scripts/bootstrap.py [test]      # `test`: also what the tests need
"""

import sys

if sys.version_info[:2] != (3, 11):
    sys.exit(
        f"Agon needs Python 3.11; {sys.executable} is Python {sys.version_info[0]}.{sys.version_info[1]}: "
        "install python3.11, or name one with `make PYTHON=/path/to/python3.11`."
    )

import fcntl
import hashlib
import os
import subprocess
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
INSTALL = ["install", "-qq", "--disable-pip-version-check", "--no-input", "--no-warn-script-location"]


class Trouble(Exception):
    """Something the user can put right; the message is the sentence to show."""


def main(sets: list[str]) -> None:
    locks = [ROOT / "requirements" / f"{name}.txt" for name in ["runtime", *sets]]
    with only_one_at_a_time():
        stamp = stamp_of(locks)
        if stamp in stamps_left():
            return
        started = time.monotonic()
        print("Setting up Agon's own Python environment in .venv (once; a minute or two) ...", flush=True)
        make_venv()
        pip(*INSTALL, "--require-hashes", "--only-binary=:all:", *(f"--requirement={lock}" for lock in locks))
        pip(*INSTALL, "--no-deps", "--no-build-isolation", "--no-index", "--editable", str(ROOT))
        leave_stamps({stamp, stamp_of(locks[:1])})
        print(f"... done in {time.monotonic() - started:.0f} s.", flush=True)


class only_one_at_a_time:
    """Holds a lock on the `.venv` folder itself, so that it needs no file of its own."""

    def __enter__(self) -> None:
        try:
            VENV.mkdir(exist_ok=True)
            if not os.access(VENV, os.W_OK):
                raise PermissionError(13, "Permission denied")
        except OSError as error:
            raise Trouble(
                f"Agon keeps its environment and its data in its own folder, and {ROOT} "
                f"cannot be written ({error.strerror}): put it where you may write."
            ) from error
        self.folder = os.open(VENV, os.O_RDONLY)
        fcntl.flock(self.folder, fcntl.LOCK_EX)

    def __exit__(self, *_exception: object) -> None:
        os.close(self.folder)


def stamp_of(locks: list[Path]) -> str:
    """What was installed, from what, and where: all that may go stale."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    installed = [project["project"], project["build-system"], project["tool"]["hatch"]]
    digest = hashlib.sha256(f"{ROOT} {sys.base_prefix} {installed}".encode())
    for lock in locks:
        digest.update(lock.read_bytes())
    return digest.hexdigest()


def stamps_left() -> set[str]:
    try:
        stamps = set((VENV / "agon-stamps").read_text().split())
        return stamps if PYTHON.exists() else set()
    except OSError:
        return set()


def leave_stamps(stamps: set[str]) -> None:
    (VENV / "agon-stamps").write_text("".join(f"{stamp}\n" for stamp in sorted(stamps)))


def make_venv() -> None:
    """A sound `.venv` of this Python is kept and installed over; anything else is emptied first."""
    (VENV / "agon-stamps").unlink(missing_ok=True)
    same = f"import sys; assert (sys.version_info[:2], sys.base_prefix) == ((3, 11), {sys.base_prefix!r})"
    sound = PYTHON.exists() and runs([str(PYTHON), "-c", same])
    home = (VENV / "agon-home").read_text() if (VENV / "agon-home").exists() else str(ROOT)
    if sound and home == str(ROOT):
        return
    command = [sys.executable, "-m", "venv", "--without-pip", "--clear", str(VENV)]
    if subprocess.run(command).returncode != 0:
        raise Trouble(
            f"Python could not make a virtual environment ({' '.join(command)}): the reason is above."
        )
    (VENV / "agon-home").write_text(str(ROOT))


def pip(*arguments: str) -> None:
    wheel = next(iter(sorted((ROOT / "vendor").glob("pip-*.whl"))), None)
    if wheel is None:
        raise Trouble("vendor/pip-*.whl is missing: this copy of Agon is not complete, clone it again.")
    if not runs([str(PYTHON), f"{wheel}/pip", *arguments], quiet=False):
        raise Trouble("pip could not install what Agon needs: the reason is above (no network? no room?).")


def runs(command: list[str], quiet: bool = True) -> bool:
    output = subprocess.DEVNULL if quiet else None
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output).returncode == 0


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Trouble as trouble:
        sys.exit(str(trouble))
    except KeyboardInterrupt:
        sys.exit(130)
