"""Decides what CI tests besides `make test`: part of the long runs; every language if COVERED files changed.

On a branch, the changes are the commits since the branch left the default branch of the remote (origin/HEAD).
On the default branch, or without a remote, git does not know where a contribution begins: there the changes
are the commits of the last twelve hours before HEAD, because too many are better than too few. Uncommitted
changes count, too. If the history does not reach back that far (a shallow clone, a young project, no
repository), every language is tested.
"""

import subprocess
from pathlib import Path

# Git pathspecs of the languages, their images and builds, and the programs and tests that use them. The rest
# of the sandbox is not listed: the core languages test it in every run, on both backends.
COVERED = (
    "sandbox/backends/image",
    "sandbox/boxes/box_size.py",
    "sandbox/boxes/build_box.py",
    "sandbox/building",
    "sandbox/images.py",
    "sandbox/languages",
    "scripts/packages.py",
    ":(glob)games/*/bots/**",
    "tests/agon/contest/test_languages.py",
    "tests/bots",
    "tests/games/test_house_bots_starters.py",
    ":(glob)tests/sandbox/test_languages*.py",
)
HALF_A_DAY = 12 * 3600  # longer than one contribution takes


def languages_concerned(root: Path) -> bool:
    """Whether to test the languages beyond the core family, too."""
    base = base_of(root)
    if base is None:
        return True
    changed = git(root, "diff", "--name-only", base, "--", *COVERED)
    new = git(root, "ls-files", "--others", "--exclude-standard", "--", *COVERED)
    return changed is None or bool(changed or new)


def part_of_the_day(root: Path, parts: int) -> str:
    """The part of the long runs for the day (UTC) of the last commit, as "1/5"."""
    committed = git(root, "log", "-1", "--format=%ct") or "0"
    return f"{int(committed) // 86400 % parts + 1}/{parts}"


def base_of(root: Path) -> str | None:
    """The commit that this contribution is based on; None if the history does not show it."""
    if git(root, "rev-parse", "--is-shallow-repository") != "false":
        return None
    head = git(root, "rev-parse", "HEAD")
    fork_point = git(root, "merge-base", "HEAD", "origin/HEAD")
    if fork_point and fork_point != head:
        return fork_point
    committed = git(root, "log", "-1", "--format=%ct")
    if not committed:
        return None
    before = git(root, "rev-list", "-1", f"--before={int(committed) - HALF_A_DAY}", "HEAD")
    return before or None


def git(root: Path, *words: str) -> str | None:
    """The output of a git command; None if it fails, or if git is not installed."""
    try:
        result = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
    except OSError:
        return None
    return result.stdout.strip() if result.returncode == 0 else None
