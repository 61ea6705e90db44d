"""How often things happened on the site so far: the sums of what its processes counted (core/counting.py)."""

from collections.abc import Mapping
from typing import NamedTuple

from agon.site.fleet.models import Total


class Counted(NamedTuple):
    """One total. labels: by name."""

    labels: Mapping[str, str]
    value: float


def by_name() -> dict[str, list[Counted]]:
    """All totals. One query over a few hundred rows."""
    counts: dict[str, list[Counted]] = {}
    for name, text, value in Total.objects.order_by("name", "labels").values_list("name", "labels", "value"):
        labels = dict(pair.split("=", 1) for pair in text.split(",") if pair)
        counts.setdefault(name, []).append(Counted(labels, value))
    return counts
