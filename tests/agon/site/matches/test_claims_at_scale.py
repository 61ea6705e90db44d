"""What claims and counts of void matches ask of PostgreSQL does not grow with all the other matches."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agon.site.bots.models import Bot
from agon.site.matches import leases
from agon.site.matches.models import Match, Seat
from agon.site.tournaments import services
from agon.site.use_cases import void_rule
from tests.support.factories import activate, active_bots
from tests.support.plans import plan_of, rows_read

pytestmark = [pytest.mark.production, pytest.mark.postgres]
MANY = 3000
FEW = 60  # rows: some a contest


@pytest.mark.exhaustive
def test_a_claim_reads_a_few_rows_whatever_waits_and_is_over(user, competition, db):
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL says how many rows it read")
    bots = active_bots(user, competition, ["north", "east", "south", "west"])
    long_ago = timezone.now() - timedelta(days=1)
    common: dict[str, Any] = {"competition": competition, "queue": Match.Queue.BULK, "seed": 1}
    for title in ("Spring", "Autumn"):
        cup = services.create(user, competition, title, "rotations", 1, 11, bots)
        services.start(cup)
        common |= {"kind": Match.Kind.TOURNAMENT, "tournament": cup}
        Match.objects.bulk_create(Match(index=1000 + number, **common) for number in range(MANY))
        Match.objects.bulk_create(
            Match(
                index=5000 + number, state=Match.State.FINISHED, finished_at=long_ago, seconds=1.0, **common
            )
            for number in range(MANY)
        )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE matches_match")
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert leases.claim("w")
    selects = [query["sql"] for query in captured if query["sql"].lstrip().startswith(("SELECT", "WITH"))]
    assert len(selects) > 4
    for sql in selects:
        assert max(rows_read(plan_of(sql))) <= FEW, sql


@pytest.mark.exhaustive
def test_void_matches_of_a_bot_are_counted_without_looking_at_those_that_were_played(user, competition, db):
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL says how many rows it read")
    [busy] = activate(user, competition, ["north"])
    common: dict[str, Any] = {"competition": competition, "kind": "ladder", "queue": "bulk", "seed": 1}
    matches = Match.objects.bulk_create(
        Match(state="finished" if number else "void", finished_at=timezone.now(), **common)
        for number in range(MANY)
    )
    Seat.objects.bulk_create(Seat(match=match, number=0, submission=busy, name="north") for match in matches)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    with CaptureQueriesContext(connection) as captured:
        assert void_rule.counted_of_bots(Bot.objects.all()).get().voids == 1
    plan = plan_of(captured[0]["sql"])
    assert max(rows_read(plan)) <= FEW
    # An index of all matches gives few rows, too, and is read from one end to the other for them.
    assert "match_is_void" in json.dumps(plan)
