"""Sets up `.venv`: the one step between a fresh clone and everything else.

Runs on a bare Python 3.11, 3.12 or 3.13 (`make` finds one) with only the standard library:

1. Make `.venv` without pip, because Debian's Python alone has no `ensurepip`.
2. Run pip from the wheel in `vendor/` to install the locked requirements, checking the hash of every file;
   compile them.
3. Install Agon itself as "editable", so that `.venv/bin/agon` exists.
4. Write a stamp file to `.venv`: a digest of everything that was installed. While it is up to date, steps 1
   to 3 are skipped, and the script takes a few milliseconds.

Packages come from the index that the user's pip configuration names. `.venv` is made again if an earlier run
was interrupted, if the folder was moved, or if the Python differs. Of two concurrent runs, one waits for the
other.

    python3 scripts/bootstrap.py [test]      # `test`: also what the tests need
"""

import sys

# The locks are tested with these (tests/setup/test_pythons.py).
if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    sys.exit(
        f"Agon needs Python 3.11, 3.12 or 3.13; {sys.executable} is Python "
        f"{sys.version_info[0]}.{sys.version_info[1]}: install one of them, or name it with "
        "`make PYTHON=/path/to/python3.11`."
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


class SetupError(Exception):
    """The setup failed for a reason that the user can fix; str(e) is the sentence to show."""


def main(sets: list[str]) -> None:
    locks = [ROOT / "requirements" / f"{name}.txt" for name in ["runtime", *sets]]
    with only_one_at_a_time():
        stamp = stamp_of(locks)
        if stamp in stamps_left():
            return
        started = time.monotonic()
        print("Setting up Agon's own Python environment in .venv (once; a minute or two) ...", flush=True)
        make_venv()
        requirements = [f"--requirement={lock}" for lock in locks]
        pip(*INSTALL, "--no-compile", "--require-hashes", "--only-binary=:all:", *requirements)
        compile_packages()
        pip(*INSTALL, "--no-deps", "--no-build-isolation", "--no-index", "--editable", str(ROOT))
        leave_stamps({stamp, stamp_of(locks[:1])})
        print(f"... done in {time.monotonic() - started:.0f} s.", flush=True)


class only_one_at_a_time:
    """Holds a lock on the `.venv` folder itself, which therefore needs no lock file."""

    def __enter__(self) -> None:
        try:
            VENV.mkdir(exist_ok=True)
            if not os.access(VENV, os.W_OK):
                raise PermissionError(13, "Permission denied")
        except OSError as error:
            raise SetupError(
                f"Agon keeps its environment and its data in its own folder, and {ROOT} "
                f"cannot be written ({error.strerror}): put it where you may write."
            ) from error
        self.folder = os.open(VENV, os.O_RDONLY)
        fcntl.flock(self.folder, fcntl.LOCK_EX)

    def __exit__(self, *_exception: object) -> None:
        os.close(self.folder)


def stamp_of(locks: list[Path]) -> str:
    """A digest of all that `.venv` depends on: lock files, project metadata, Python, project folder."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    installed = [project["project"], project["build-system"], project["tool"]["hatch"]]
    digest = hashlib.sha256(f"{ROOT} {sys.base_prefix} {sys.version_info[:2]} {installed}".encode())
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
    """Make `.venv`, unless it exists, works with this Python, and was not moved.

    An existing one is kept, and packages are installed over it.
    """
    (VENV / "agon-stamps").unlink(missing_ok=True)
    python = (*sys.version_info[:2], sys.base_prefix)
    check = f"import sys; assert (*sys.version_info[:2], sys.base_prefix) == {python!r}"
    works = PYTHON.exists() and succeeds([str(PYTHON), "-c", check])
    home = (VENV / "agon-home").read_text() if (VENV / "agon-home").exists() else str(ROOT)
    if works and home == str(ROOT):
        return
    command = [sys.executable, "-m", "venv", "--without-pip", "--clear", str(VENV)]
    if subprocess.run(command).returncode != 0:
        raise SetupError(
            f"Python could not make a virtual environment ({' '.join(command)}): the reason is above."
        )
    (VENV / "agon-home").write_text(str(ROOT))


def pip(*arguments: str) -> None:
    wheel = next(iter(sorted((ROOT / "vendor").glob("pip-*.whl"))), None)
    if wheel is None:
        raise SetupError("vendor/pip-*.whl is missing: this copy of Agon is not complete, clone it again.")
    if not succeeds([str(PYTHON), f"{wheel}/pip", *arguments], quiet=False):
        raise SetupError("pip could not install what Agon needs: the reason is above (no network? no room?).")


def compile_packages() -> None:
    """Compile on all cores; pip uses one. Errors are ignored: some files are for other Pythons."""
    succeeds([str(PYTHON), "-m", "compileall", "-qq", "-j", "0", str(VENV / "lib")])


def succeeds(command: list[str], quiet: bool = True) -> bool:
    output = subprocess.DEVNULL if quiet else None
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output).returncode == 0


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except SetupError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
