"""Distribution of test files to processes that each collect and run a part of them."""

from collections.abc import Iterable
from pathlib import Path

# What each file costs beside its length, in bytes: imports, and what its module and its database need.
EACH = 4000


def in_parts(places: Iterable[Path], number: int) -> list[list[str]]:
    """Divide the test files in these files and folders into parts that take about as long; absolute paths.

    Longer files have more tests, which is all that a fresh clone knows. The files directly in tests/browser
    stay together, because they share a site. The skeleton's are tests of its copies (games/core/conftest.py).
    """
    groups: dict[Path, list[Path]] = {}
    for place in places:
        for file in [place] if place.is_file() else place.rglob("test_*.py"):
            if file.parent.name == "skeleton":
                continue
            together = file.parent.name == "browser"
            groups.setdefault((file.parent if together else file).resolve(), []).append(file.resolve())
    lengths = {group: sum(EACH + file.stat().st_size for file in files) for group, files in groups.items()}
    parts: list[list[str]] = [[] for _ in range(number)]
    taken = [0] * number
    for group in sorted(groups, key=lambda group: (-lengths[group], group)):
        least = taken.index(min(taken))
        parts[least] += map(str, groups[group])
        taken[least] += lengths[group]
    return parts
