"""How PostgreSQL carries out a query: what it reads for it."""

import json
from collections.abc import Iterator
from typing import Any

from django.db import connection


def rows_read(plan: dict[str, Any]) -> Iterator[float]:
    """How many rows each node of the plan read: those that it gave, and those that it left out."""
    left_out = sum(plan.get(f"Rows Removed by {what}", 0) for what in ("Filter", "Index Recheck"))
    yield (plan["Actual Rows"] + left_out) * plan["Actual Loops"]
    for part in plan.get("Plans", ()):
        yield from rows_read(part)


def plan_of(sql: str) -> dict[str, Any]:
    """How PostgreSQL carries out the query, which is run."""
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + sql)
        [answer] = cursor.fetchone()
    [explained] = json.loads(answer) if isinstance(answer, str) else answer
    plan: dict[str, Any] = explained["Plan"]
    return plan
