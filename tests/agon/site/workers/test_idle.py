"""What the sweeper asks the database every few seconds on a site on which nothing is to be done."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.states import State as SubmissionState
from agon.site.competitions.models import Competition
from agon.site.fleet import pausing
from agon.site.leaderboards import fitting, ladder
from agon.site.leaderboards.models import Rating
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.tournaments import services
from agon.site.use_cases import qualification
from agon.site.workers.tasks import sweep
from tests.support.factories import activate, duel, submit
from tests.support.reasons import said

pytestmark = [
    pytest.mark.production,
    pytest.mark.django_db(transaction=True),  # so that transactions begin as they do on a site
]


@pytest.fixture
def rps(user) -> Competition:
    return open_competition(user, 1)


def open_competition(user: User, number: int, names: tuple[str, ...] = ("Una", "Sue", "Tom")) -> Competition:
    """Honest RPS, which has two seats, with these bots and no results."""
    competition = Competition.objects.create(slug=f"rps-{number}", game="honest_rps", title=f"RPS {number}")
    activate(user, competition, names)
    return competition


def play_until_idle() -> None:
    """Sweep, play what waits, and fit, until the sweeper queues nothing more."""
    sweep()
    while match := leases.claim("w"):
        leases.finish(match, duel(match, []))
        if not Match.objects.filter(state=State.QUEUED).exists():
            sweep()
    for competition in Competition.objects.all():
        fitting.catch_up(competition.pk)
    sweep()  # what the fits have told is numbered


def statements_of_a_sweep() -> list[str]:
    with CaptureQueriesContext(connection) as asked:
        sweep()
    return [query["sql"] for query in asked.captured_queries]


def locking_statements_of_a_sweep() -> list[str]:
    """All but reads outside a transaction: SQLite has one write lock, which BEGIN takes."""
    return [sql for sql in statements_of_a_sweep() if not sql.startswith("SELECT")]


def test_five_idle_competitions_take_as_many_queries_as_one_and_no_lock(user, rps, settings):
    settings.AGON_LADDER_MATCHES = 2
    play_until_idle()
    with_one = len(statements_of_a_sweep())
    for number in range(2, 6):
        open_competition(user, number)
    play_until_idle()

    assert Rating.objects.filter(played__gte=2).count() == 15
    assert locking_statements_of_a_sweep() == []
    assert len(statements_of_a_sweep()) == with_one


def test_a_ladder_with_enough_matches_waiting_takes_no_lock(rps):
    sweep()
    assert rps.matches.filter(state=State.QUEUED).count() == ladder.AHEAD

    assert locking_statements_of_a_sweep() == []


def test_a_bot_without_opponents_takes_no_lock(user):
    open_competition(user, 1, names=("Una",))
    sweep()

    assert locking_statements_of_a_sweep() == []


def test_a_tournament_that_is_being_played_takes_no_lock(user, rps, settings):
    settings.AGON_LADDER_MATCHES = 0
    entered = list(rps.bots.all())
    for format in ("round_robin", "single_elimination"):
        services.start(services.create(user, rps, format, format, 1, 1, entered))
    sweep()
    assert rps.matches.filter(kind=Match.Kind.TOURNAMENT, state=State.QUEUED).exists()

    assert locking_statements_of_a_sweep() == []


def test_a_qualification_that_waits_for_its_next_attempt_takes_no_lock(user, rps, settings):
    settings.AGON_LADDER_MATCHES = 0
    new = submit(user, rps, "new", SubmissionState.BUILT)
    sweep()
    for _ in range(leases.ATTEMPTS):
        leases.fail(leases.claim("w"), said("the engine was restarted"))
    new.refresh_from_db()
    assert new.state == SubmissionState.BUILT

    assert locking_statements_of_a_sweep() == []

    new.qualifications.update(finished_at=timezone.now() - qualification.PAUSE)
    sweep()
    new.refresh_from_db()
    assert new.state == SubmissionState.QUALIFYING


def test_a_worker_that_is_paused_takes_no_lock(db):
    pausing.pause("machine-1-1", "the storage does not answer")
    sweep()

    assert locking_statements_of_a_sweep() == []
