"""A small tournament beside a very large one of another organizer, on a site with two workers."""

import pytest
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Submission
from agon.site.bots.services import receive_text
from agon.site.matches.states import State as MatchState
from agon.site.tournaments import services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.states import State
from agon.site.use_cases import qualification
from agon.site.workers import building
from agon.site.workers.worker import worker as own_worker
from sandbox.backends import open_sandbox
from tests.support.processes import ROOT, Workers, until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
    pytest.mark.slow,
    pytest.mark.serial,
]
GOOD = (ROOT / "tests" / "bots" / "samurai" / "good.py").read_text()


@pytest.fixture
def rival(db) -> User:
    return User.objects.create_user("rival")


@pytest.fixture
def bots(user, rival, competition, monkeypatch, settings, store):
    monkeypatch.setenv("AGON_SANDBOX", "bubblewrap")
    settings.AGON_ARTIFACTS = store
    own_worker.close()
    sandbox = open_sandbox("bubblewrap")
    try:
        for name, owner in zip("abcdefgh", [user, rival] * 4, strict=True):
            receive_text(owner, competition, name, f"{GOOD}\n# {name}\n", "python")
        while building.build_next(sandbox):
            pass
    finally:
        sandbox.close()
    for submission in Submission.objects.order_by("pk"):
        qualification.activate(submission)
    competition.state = competition.State.CLOSED  # its ladder queues nothing
    competition.save()
    competition.matches.all().delete()
    return list(competition.bots.order_by("pk"))


def seconds_of_a_swiss(user, competition, bots, workers: Workers) -> float:
    """How long a Swiss of 16 matches in 8 rounds takes."""
    cup = services.create(user, competition, "Swiss", "swiss", 8, 1, bots)
    services.start(cup)
    until(lambda: Tournament.objects.get(pk=cup.pk).state == State.FINISHED, 120, workers)
    cup.refresh_from_db()
    assert cup.total == 16
    return (timezone.now() - cup.started).total_seconds()


@pytest.mark.exhaustive
def test_a_swiss_beside_7200_matches_takes_at_most_twice_its_time_alone(
    user, rival, competition, bots, tmp_path
):
    def seconds_of_four() -> float:
        """One such Swiss takes about a second, so the moment at which a match ends would decide."""
        return sum(seconds_of_a_swiss(user, competition, bots, workers) for _ in range(4))

    workers = Workers(tmp_path)
    try:
        for _ in range(2):
            workers.worker("interactive,bulk")
        workers.scheduler()
        seconds_of_a_swiss(user, competition, bots, workers)  # opens the boxes
        alone = seconds_of_four()

        large = services.create(rival, competition, "Large", "drawn", 900, 1, bots)
        services.start(large)
        assert large.total == 7200
        until(lambda: large.matches.filter(state=MatchState.FINISHED).count() > 100, 60, workers)
        beside = seconds_of_four()

        assert large.matches.filter(state=MatchState.QUEUED).count() > 100  # it went on meanwhile
        services.cancel(large)
    finally:
        workers.stop_all()
    print(f"alone {alone:.1f} s, beside {beside:.1f} s")
    assert beside <= 2 * alone
