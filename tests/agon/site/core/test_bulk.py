"""Many rows are changed with one statement, each in its own way, whatever their columns are."""

import pytest

from agon.site.core.db.bulk import update_rows
from agon.site.matches import queueing
from agon.site.matches.models import Match, Seat
from tests.support.factories import activate

pytestmark = pytest.mark.production


@pytest.fixture
def match(user, competition) -> Match:
    bots = activate(user, competition, ["a", "b", "c", "d"])
    return queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, bots)


@pytest.mark.parametrize("slowest", [[None, None], [None, 0.5], [0.25, 0.5]])
def test_each_row_gets_its_own_values_or_none(match, slowest):
    rows = [(match.pk, number, share) for number, share in enumerate(slowest)]
    update_rows(Seat, ["match_id", "number"], ["slowest"], rows)
    stored = dict(match.seats.values_list("number", "slowest"))
    assert stored == {0: slowest[0], 1: slowest[1], 2: None, 3: None}


def test_documents_are_written_as_such(match):
    update_rows(Match, ["id"], ["summary"], [(match.pk, '{"calls": 3}')])
    match.refresh_from_db()
    assert match.summary == {"calls": 3}


def test_without_rows_nothing_is_asked(match, django_assert_num_queries):
    with django_assert_num_queries(0):
        update_rows(Match, ["id"], ["summary"], [])
