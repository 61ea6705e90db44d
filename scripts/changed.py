"""Whether CI tests every language or the core family only: whether something changed that the others hang on.

Looked at is what this submission changed. On a branch of its own that is everything since it left the branch
that the remote holds as its own (origin/HEAD). On that branch itself git does not say where a submission
begins: there, as without a remote, it is what was committed in the twelve hours before the last commit,
which is more rather than less. What is not committed yet counts, too. Where the history does not reach back
that far (a shallow clone, a young project, no repository) every language is tested.
"""

import subprocess
from pathlib import Path

# Languages, their images and builds, the programs and tests that try them (git pathspecs), and migrations:
# what they make of old data is tested in such a run only.
# Not the rest of the sandbox: the core languages try that in every run, in both backends.
COVERED = (
    "sandbox/backends/image",
    "sandbox/boxes/build_box.py",
    "sandbox/building",
    "sandbox/images.py",
    "sandbox/languages",
    "scripts/packages.py",
    ":(glob)platform/*/migrations/**",
    ":(glob)games/*/bots/**",
    "tests/platform/contest/test_languages.py",
    "tests/bots",
    "tests/games/test_house_bots_starters.py",
    ":(glob)tests/sandbox/test_languages*.py",
)
HALF_A_DAY = 12 * 3600  # longer than the work on a submission takes


def languages_concerned(root: Path) -> bool:
    """Whether the languages beyond the core family are to be tested, too."""
    base = base_of(root)
    if base is None:
        return True
    changed = git(root, "diff", "--name-only", base, "--", *COVERED)
    new = git(root, "ls-files", "--others", "--exclude-standard", "--", *COVERED)
    return changed is None or bool(changed or new)


def base_of(root: Path) -> str | None:
    """The commit on which this submission stands; None if the history does not show it."""
    if git(root, "rev-parse", "--is-shallow-repository") != "false":
        return None
    head = git(root, "rev-parse", "HEAD")
    left = git(root, "merge-base", "HEAD", "origin/HEAD")
    if left and left != head:
        return left
    committed = git(root, "log", "-1", "--format=%ct")
    if not committed:
        return None
    before = git(root, "rev-list", "-1", f"--before={int(committed) - HALF_A_DAY}", "HEAD")
    return before or None


def git(root: Path, *words: str) -> str | None:
    """What git says; None if it fails or is not there."""
    try:
        ran = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
    except OSError:
        return None
    return ran.stdout.strip() if ran.returncode == 0 else None
