"""The bubblewrap backend without root: limits for each process, and a watch, in place of cgroups.

A suite that runs as root would never see that; here part of it runs again as a user without privileges.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

from sandbox.backends.bubblewrap import interpreter

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NOBODY = 61_234
FAMILIES = "memory or processes or disk"  # what a control group bounds for root
OTHERS = "writing or kernel or signals or privileges"
# What the kernel lets a bot do is the same however the bot was started, which tests/hostile shows as root.
ALIKE = "spawned and (kernel or privileges or writing or signals or run_for_a_move)"
# Only a control group bounds these: see docs/explanations/security.md.
UNBOUND = "disk_evicted or disk_mapped or disk_scattered or disk_reads"


def open_to_all(path: Path) -> bool:
    return all(folder.stat().st_mode & 0o001 for folder in path.resolve().parents)


def python_for_all() -> str | None:
    """This interpreter, or the system's of the same version, if another user can reach it."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for path in (interpreter(), Path(f"/usr/bin/python{version}")):
        if path.exists() and open_to_all(path):
            return str(path)
    return None


def passes_as_ordinary_user(*words: str) -> None:
    """Run these tests again as a user without privileges."""
    python = python_for_all()
    if python is None or not open_to_all(ROOT / "sandbox"):
        pytest.skip("another user can reach neither this folder nor a Python of this version")
    home = Path(tempfile.mkdtemp(prefix="agon-test-"))
    try:
        os.chown(home, NOBODY, NOBODY)
        done = subprocess.run(
            [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
            cwd=ROOT,
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": str(home),
                "TMPDIR": str(home),
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONPATH": f"{sysconfig.get_path('purelib')}:{ROOT}",
            },
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shutil.rmtree(home)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert " passed" in done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="the whole suite runs as an ordinary user already")
@pytest.mark.parametrize("families", [FAMILIES, pytest.param(OTHERS, marks=pytest.mark.exhaustive)])
def test_hostile_bots_get_nowhere_without_root_and_without_cgroups(families):
    chosen = f"bubblewrap and not function and ({families}) and not ({ALIKE} or {UNBOUND})"
    passes_as_ordinary_user("tests/hostile", "-k", chosen, "-m", "not exhaustive")


@pytest.mark.skipif(os.geteuid() != 0, reason="the whole suite runs as an ordinary user already")
@pytest.mark.parametrize(
    "which", ["not languages", pytest.param("languages", marks=pytest.mark.languages)], ids=["core", "others"]
)
@pytest.mark.compilers
def test_languages_work_without_root_and_without_cgroups(which):
    """Their runtimes map far more memory than they use, and here it is mappings that are limited."""
    tests = "tests/sandbox/test_languages_offered.py"
    passes_as_ordinary_user(tests, "-k", "selftest_in_the_real_sandbox and bubblewrap", "-m", which)


@pytest.mark.serial
@pytest.mark.one_core
@pytest.mark.skipif(os.geteuid() != 0, reason="the whole suite runs as an ordinary user already")
def test_no_bot_starves_another_without_root_and_without_cgroups():
    """The other ways to be busy between turns are tried as root, without control groups, too."""
    ways = "pretends or (busy_between and (sessions or at_times)) or keeps_running or sets_itself"
    chosen = f"bubblewrap and not ungrouped and ({ways})"
    files = "tests/sandbox/test_fair_time.py", "tests/sandbox/test_pretending.py"
    passes_as_ordinary_user(*files, "-k", chosen)
