"""A tournament is cancelled while workers store results of its matches: neither side fails."""

import pytest

from agon.site.matches import leases
from agon.site.matches.states import OVER
from agon.site.tournaments import services
from agon.site.tournaments.states import State
from tests.support.at_once import failures_at_once
from tests.support.factories import active_bots, played

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
]

RESULTS = 3  # stored at the same time


@pytest.mark.parametrize("cancellations", [25, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_cancelling_while_results_are_stored_never_deadlocks(user, competition, cancellations):
    bots = active_bots(user, competition, ["a", "b", "c", "d", "e"])
    failures = []
    for number in range(cancellations):
        cup = services.create(user, competition, f"Cup {number}", "rotations", 1, 1, bots)
        services.start(cup)
        claimed = [match for _ in range(RESULTS) if (match := leases.claim("w"))]
        assert len(claimed) == RESULTS
        acts = [lambda match=match: leases.finish(match, played(match)) for match in claimed]
        acts.append(lambda cup=cup: services.cancel(cup))
        failed = failures_at_once(acts)
        failures += failed
        if failed:
            cup.matches.all().delete()  # the next tournament begins without its matches
        else:
            cup.refresh_from_db()
            assert cup.state == State.CANCELLED
            assert not cup.matches.exclude(state__in=OVER).exists()
    assert failures == []
