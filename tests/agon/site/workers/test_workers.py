"""Real workers, real sandboxes, real bots: nothing is lost and nothing counted twice, whatever dies."""

import re
import signal
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone
from kombu import Queue

from agon.contest.platform_failure import PlatformFailure
from agon.site.bots.models import Submission
from agon.site.bots.services import receive, receive_text
from agon.site.bots.states import State
from agon.site.celery import app
from agon.site.competitions.models import Competition
from agon.site.core.queue import notify
from agon.site.leaderboards import fitting
from agon.site.leaderboards.models import Rating
from agon.site.leaderboards.table import rows
from agon.site.matches import leases, queueing, records
from agon.site.matches.models import Fault, Match
from agon.site.matches.states import State as MatchState
from agon.site.use_cases import qualification
from agon.site.workers import building, playing
from agon.site.workers import worker as worker_module
from agon.site.workers.tasks import sweep
from agon.site.workers.worker import worker as own_worker
from sandbox.backends import open_sandbox
from tests.support.cpu_load import busy_processor
from tests.support.processes import ROOT, Workers, until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
    pytest.mark.slow,
]
PROGRAMS = ROOT / "tests" / "bots" / "samurai"
SLOW = """
import sys, time
print("READY", flush=True)
for line in sys.stdin:
    if line[-2:] in ("D\\n", "N\\n"):
        time.sleep(0.1)
        print(*[0] * (5 if line[-2] == "D" else 2), flush=True)
"""


@pytest.fixture(scope="module")
def sandbox():
    own_worker.close()  # another test may have left it with the other sandbox
    opened = open_sandbox("bubblewrap")
    yield opened
    opened.close()
    own_worker.close()


@pytest.fixture(autouse=True)
def same_sandbox(monkeypatch, settings, store):
    """As the module's own, whatever else works here, with the artifacts of the workers."""
    monkeypatch.setenv("AGON_SANDBOX", "bubblewrap")
    settings.AGON_ARTIFACTS = store


@pytest.fixture
def workers(tmp_path):
    running = Workers(tmp_path)
    yield running
    running.stop_all()


@pytest.fixture
def closed(competition):
    """A competition whose ladder queues nothing."""
    competition.state = competition.State.CLOSED
    competition.save()
    return competition


def entered(user, competition, names, sandbox, program=SLOW):
    """Active submissions of a real program, of which each has its own: equal ones share a rating."""
    for name in names:
        receive_text(user, competition, name, f"{program}\nNAME = '{name}'\n", "python")
    while building.build_next(sandbox):
        pass
    competition.matches.all().delete()
    submissions = list(Submission.objects.filter(bot__competition=competition).order_by("pk"))
    for submission in submissions:
        assert submission.state == State.QUALIFYING, submission.reason or submission.build_log
        qualification.activate(submission)
    competition.matches.all().delete()
    return submissions


@pytest.fixture
def four(user, competition, sandbox):
    return entered(user, competition, ["north", "east", "south", "west"], sandbox)


def queue(competition, submissions, count=1):
    return [
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, submissions) for _ in range(count)
    ]


def states(matches):
    return set(Match.objects.filter(pk__in=[match.pk for match in matches]).values_list("state", flat=True))


def test_a_worker_killed_in_the_middle_of_a_match_loses_nothing_and_counts_nothing_twice(
    four, closed, workers
):
    matches = queue(closed, four, 3)
    first = workers.worker("interactive,bulk")
    until(lambda: MatchState.RUNNING in states(matches), 60, workers)

    first.send_signal(signal.SIGKILL)
    first.wait()

    left = Match.objects.get(state=MatchState.RUNNING)
    assert set(Rating.objects.values_list("played", flat=True)) == {matches.index(left)}
    Match.objects.filter(pk=left.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    workers.worker("interactive,bulk")
    sweep()
    until(lambda: states(matches) == {MatchState.FINISHED}, 120, workers)
    assert Match.objects.get(pk=left.pk).attempt == 2
    assert set(Rating.objects.values_list("played", flat=True)) == {3}
    for match in Match.objects.filter(pk__in=[match.pk for match in matches]):
        assert match.seats.count() == 4
        assert len(records.log(match).seats) == 4
    assert not Fault.objects.exists()


def test_a_worker_told_to_stop_finishes_its_match_first(four, closed, workers):
    matches = queue(closed, four)
    worker = workers.worker("bulk")
    until(lambda: MatchState.RUNNING in states(matches), 60, workers)

    worker.send_signal(signal.SIGTERM)

    assert worker.wait(60) == 0
    assert states(matches) == {MatchState.FINISHED}
    assert Match.objects.get().attempt == 1


@pytest.mark.exhaustive
def test_hints_delivered_many_times_over_play_every_match_once(four, closed, workers):
    matches = queue(closed, four, 4)
    for _ in range(4):
        notify.notify_now("bulk", 8)

    workers.worker("interactive,bulk")
    workers.worker("interactive,bulk")

    until(lambda: states(matches) == {MatchState.FINISHED}, 120, workers)
    assert set(Match.objects.values_list("attempt", flat=True)) == {1}
    assert set(Rating.objects.values_list("played", flat=True)) == {4}


NAPS = SLOW.replace("time.sleep(0.1)", "while True: time.sleep(0.05)")


@pytest.mark.exhaustive
@pytest.mark.serial
@pytest.mark.one_core
@pytest.mark.parametrize("waits", ["uncounted_waits", "counted_waits"], ids=["uncounted", "counted"])
def test_a_bot_that_naps_on_a_busy_host_loses_and_its_match_is_not_played_again(
    user, competition, sandbox, request, waits
):
    request.getfixturevalue(waits)
    receive_text(user, competition, "naps", NAPS, "python")
    four = entered(user, competition, ["north", "east", "south"], sandbox)
    competition.state = competition.State.CLOSED
    competition.save()
    [match] = queue(competition, four)

    with busy_processor(3):
        assert playing.play(leases.claim("here"))

    match.refresh_from_db()
    assert (match.state, match.attempt) == (MatchState.FINISHED, 1)
    assert [(fault.seat.name, fault.kind) for fault in Fault.objects.all()] == [("naps", "timeout")]


@pytest.mark.compilers
def test_an_upload_is_built_qualified_and_rated_without_another_hand(user, competition, sandbox, workers):
    entered(user, competition, ["north", "east", "south"], sandbox, (PROGRAMS / "good.py").read_text())
    Rating.objects.update(
        played=settings.AGON_LADDER_MATCHES
    )  # the ladder has nothing to do but for the newcomer
    workers.worker("build,interactive,bulk")

    submission = receive(user, competition, "Rita", "rita.c", (PROGRAMS / "good.c").read_bytes())

    until(lambda: Rating.objects.filter(rated__submission=submission, played__gt=0).exists(), 120, workers)
    until(lambda: not fitting.is_behind(competition.pk), 120, workers)
    assert Rating.objects.exclude(low=None).exists()
    submission.refresh_from_db()
    assert (submission.state, submission.language) == (State.ACTIVE, "c")
    assert "gcc" in submission.build_log
    assert "Rita" in [row.bot for row in rows(competition)]
    first = Match.objects.filter(kind="ladder", seats__submission=submission).order_by("pk").first()
    assert first.queue == Match.Queue.INTERACTIVE


# By program: why it is rejected, and whether it was tried. Before that a build has something to say.
NO_GOOD = {
    "compile_error.c": ("build failed", False),
    "syntax_error.py": ("line 3: invalid syntax", False),
    "crash_later.py": (r"\(crashed\)", True),
    "never_answers.py": (r"\(too slow\)", True),
}


@pytest.mark.compilers
def test_bots_that_are_no_good_are_rejected_in_words_and_nobody_else_pays(
    user, competition, sandbox, workers
):
    workers.worker("build,interactive")
    for program in NO_GOOD:
        receive(user, competition, program.partition(".")[0], program, (PROGRAMS / program).read_bytes())

    rejected = Submission.objects.filter(state=State.REJECTED)
    until(lambda: rejected.count() == len(NO_GOOD), 240, workers)

    for submission in rejected:
        words, tried = NO_GOOD[submission.filename]
        assert re.search(words, str(submission.reason)), submission.reason
        assert bool(submission.qualification) == tried
        assert tried or submission.build_log
    assert rows(competition) == []


@pytest.mark.exhaustive
def test_lost_hints_are_sent_again_by_the_scheduler(four, closed, workers):
    matches = queue(closed, four)
    with app.connection_for_write() as broker:
        for name in ("build", "interactive", "bulk"):
            waiting = Queue(name, channel=broker.default_channel)
            waiting.queue_declare()
            waiting.purge()

    workers.worker("interactive,bulk")
    workers.scheduler()

    until(lambda: states(matches) == {MatchState.FINISHED}, 120, workers)


@pytest.mark.exhaustive
def test_a_worker_without_a_sandbox_touches_nothing(four, closed, workers, monkeypatch):
    matches = queue(closed, four)
    monkeypatch.setenv("AGON_SANDBOX", "no such sandbox")

    workers.worker("bulk")

    until(lambda: "has no sandbox" in workers.said(), 60, workers)
    assert states(matches) == {MatchState.QUEUED}


def test_a_match_whose_artifact_is_gone_is_void_in_the_end_and_nobody_is_blamed(four, closed):
    [match] = queue(closed, four)
    Submission.objects.filter(pk=four[2].pk).update(
        artifact_digest="0" * 64, artifact="artifacts/00/gone.tar"
    )

    while (claimed := leases.claim("here")) is not None:
        assert not playing.play(claimed)

    match.refresh_from_db()
    assert (match.state, match.attempt) == (MatchState.VOID, leases.ATTEMPTS)
    assert str(match.reason) == "the built program of a bot was lost"
    assert "could not be fetched" in str(match.failed_attempts.first().details)
    assert not Fault.objects.exists()


def test_a_qualification_goes_no_further_than_the_first_fault(user, sandbox):
    """The first bot of a competition sits in all four seats; Camel Up would go on, with default moves."""
    camels = Competition.objects.create(slug="camel-up", game="camel_up", title="Camel Up")
    program = "def move(player, g):\n    return [9]\n"
    submission = receive_text(user, camels, "Nine", program, "python")
    assert building.build_next(sandbox)

    assert playing.play(leases.claim("w"))

    submission.refresh_from_db()
    assert submission.state == State.REJECTED
    assert "(illegal move)" in str(submission.reason)
    kinds = list(Fault.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds == ["illegal", "crash", "crash", "crash", "crash"]


def test_a_worker_on_which_a_match_has_failed_does_not_spoil_the_next(four, closed, monkeypatch):
    monkeypatch.setattr(playing.worker, "_backs_off_until", 0.0)
    monkeypatch.setattr(worker_module, "BACKOFF", 60.0)  # longer than all that follows takes
    queue(closed, four, 3)

    def fail(*args):
        raise PlatformFailure("the box was lost")

    monkeypatch.setattr(playing.arena, "play", fail)

    for _ in range(5):
        playing.play_waiting("bulk")

    assert sum(Match.objects.values_list("attempt", flat=True)) == 1
    assert set(Match.objects.values_list("state", flat=True)) == {MatchState.QUEUED}
