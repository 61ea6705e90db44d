"""Counts what this process did, in memory, until the counts are added to the database's.

A count is a name and labels. Counting costs no query: a process stores its counts when it says that it is
alive (agon.site.fleet.heartbeat), and the site's totals are the sum over all processes, dead ones too
(agon.site.fleet.totals). What a killed process had not stored is lost.
"""

import threading
from collections import Counter
from collections.abc import Mapping

from django.db import transaction

Labels = tuple[tuple[str, str], ...]  # sorted by name
Counts = Mapping[tuple[str, Labels], float]

_lock = threading.Lock()
_counts: Counter[tuple[str, Labels]] = Counter()


def count(name: str, by: float = 1, **labels: str) -> None:
    """Raise a count."""
    key = name, tuple(sorted(labels.items()))
    with _lock:
        _counts[key] += by  # type: ignore[assignment]  # seconds are counted, too


def count_on_commit(name: str, by: float = 1, **labels: str) -> None:
    """Raise a count if the current transaction is committed."""
    transaction.on_commit(lambda: count(name, by, **labels))


def take() -> Counts:
    """The counts since the last call, which are forgotten here."""
    with _lock:
        taken = dict(_counts)
        _counts.clear()
    return taken


def put_back(counts: Counts) -> None:
    """Count again what was taken and could not be stored."""
    with _lock:
        for key, by in counts.items():
            _counts[key] += by  # type: ignore[assignment]
