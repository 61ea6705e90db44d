"""A role for workers elsewhere plays, and can neither read accounts nor change other results."""

import time
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from django.db import ProgrammingError, connection, transaction

from agon.site.accounts.models import User
from agon.site.bots import at_home
from agon.site.bots.services import enter_at_home, receive_text
from agon.site.bots.states import State as SubmissionState
from agon.site.challenges import services as challenges
from agon.site.fleet import worker_role
from agon.site.leaderboards import fitting
from agon.site.leaderboards.models import Rating
from agon.site.matches import leases, queueing
from agon.site.matches.models import FailedAttempt, HomeAsk, Match, Seat
from agon.site.matches.states import AskState, State
from agon.site.tournaments import scheduling, services
from agon.site.trials import services as trials
from agon.site.trials.tables import one
from agon.site.trials.visitors import Visitor
from agon.site.workers import building, home_seats, playing, tasks, trying
from agon.site.workers.worker import worker
from games.core.reason import Reason
from tests.agon.site.workers.test_fetching import QUICK, no_pause_between_failures
from tests.agon.site.workers.test_workers import entered, queue, same_sandbox, sandbox

__all__ = ["no_pause_between_failures", "same_sandbox", "sandbox"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.production,
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
]

MACHINE = "far-away"
REFUSALS = ("permission denied", "violates row-level security", "must be superuser")


@pytest.fixture
def role(db):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no roles")
    yield worker_role.allow(MACHINE, "of a test")
    worker_role.shut_out(MACHINE)
    worker_role.suspend()


@contextmanager
def as_role(role):
    """Everything in the block goes to the database as this role."""
    own = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict |= {"USER": role, "PASSWORD": "of a test"}
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(own)


@pytest.fixture
def four(role, user, competition, sandbox, settings):
    settings.AGON_MACHINE = MACHINE
    submissions = entered(user, competition, ["north", "east", "south", "west"], sandbox, QUICK)
    competition.state = competition.State.CLOSED
    competition.save()
    return submissions


@contextmanager
def opened(competition):
    """Open in the block alone: matches of an open ladder never end."""
    competition.state = competition.State.OPEN
    competition.save()
    yield
    competition.state = competition.State.CLOSED
    competition.save()


def play_all():
    """Play what waits. Between two matches of a challenge is a pause, as long as others wait."""
    end = time.monotonic() + 60
    while Match.objects.filter(state=State.QUEUED).exists() and time.monotonic() < end:
        playing.play_waiting("bulk")
        time.sleep(0.02)


def refused(sql):
    """Whether the database refuses to do this."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    except ProgrammingError as error:
        return any(refusal in str(error) for refusal in REFUSALS)
    return False


def test_it_plays_every_kind_of_match_to_its_end(four, user, competition, sandbox, role):
    queue(competition, four, 2)
    cup = services.create(
        user, competition, "Cup", "rotations", 1, 11, [submission.bot for submission in four]
    )
    services.start(cup)
    with as_role(role):
        worker.close_boxes()
        play_all()
        tasks.rate(competition.pk)
    scheduling.tick()
    cup.refresh_from_db()
    assert cup.state == cup.State.FINISHED
    assert set(Match.objects.values_list("state", "attempt")) == {(State.FINISHED, 1)}
    assert set(Rating.objects.values_list("played", flat=True)) == {2}
    assert not fitting.is_behind(competition.pk)


def test_what_it_must_not_know_and_not_do(four, user, competition, role):
    user.set_password("a secret")
    user.email = "ada@example.org"
    user.save()
    [done, waiting] = queue(competition, four, 2)
    assert playing.play(leases.claim(f"{MACHINE}:core0:1"))
    elsewhere = leases.claim("other:core0:1")
    assert elsewhere.pk == waiting.pk
    owner = connection.settings_dict["USER"]
    with as_role(role):
        ada = User.objects.get(pk=user.pk)
        assert (ada.username, ada.email, ada.password, ada.is_superuser) == ("ada", "", "", False)
        for table in worker_role.unlisted():
            assert table == "accounts_user" or refused(f"SELECT 1 FROM {table}"), table
        assert refused("SELECT password FROM public.accounts_user")
        assert refused("UPDATE public.accounts_user SET is_superuser = true")
        assert refused(f"UPDATE bots_submission SET source = 'sources/other' WHERE id = {four[0].pk}")
        assert refused("DELETE FROM matches_match")
        assert refused("DELETE FROM matches_recording")
        assert refused("UPDATE matches_recording SET record = ''")
        assert refused(f"SET ROLE {owner}")
        assert refused("COPY matches_match TO PROGRAM 'true'")
        for match in (done, elsewhere):
            assert not Match.objects.filter(pk=match.pk).update(steps=0)
            assert not Seat.objects.filter(match=match).update(score=100)
            assert not Match.objects.filter(pk=match.pk).update(state=State.QUEUED, worker="")
            assert refused(
                "INSERT INTO matches_recording (match_id, record, times, files, log)"
                f" VALUES ({match.pk}, '', '', '', '')"
            )
        [third] = Match.objects.filter(
            pk=queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four).pk
        )
        assert refused(
            f"UPDATE matches_match SET state = 'running', worker = 'other:core0:1' WHERE id = {third.pk}"
        )
        assert refused(
            "INSERT INTO audit_act (at, verb, actor_id, subject, reason, details)"
            f" VALUES (now(), 'stop', {user.pk}, '', '', '{{}}')"
        )
    assert Match.objects.get(pk=done.pk).state == State.FINISHED


def test_trials_failures_and_qualifications_are_within_its_rights(
    four, user, competition, sandbox, role, monkeypatch
):
    with opened(competition):
        newcomer = receive_text(user, competition, "newcomer", QUICK + "# new", "python")
        assert building.build_next(sandbox)
    with as_role(role):
        play_all()
        newcomer.refresh_from_db()
        assert newcomer.state == SubmissionState.ACTIVE, newcomer.reason
        [match] = queue(competition, four)
        for _ in range(3):
            assert leases.fail(leases.claim(worker.name), Reason("text", text="the box was lost"))
    match.refresh_from_db()
    assert (match.state, FailedAttempt.objects.filter(match=match).count()) == (State.VOID, 3)
    with opened(competition):
        challenge = challenges.start(user, four[0].bot, [submission.bot for submission in four[1:]], 4)
        table = one(competition, four[1])
        trial = trials.start(Visitor(user, "ada", "here"), competition, [table], "python", QUICK)
    with as_role(role):
        play_all()
        assert trying.play_next()
    challenge.refresh_from_db()
    trial.refresh_from_db()
    assert (challenge.state, trial.state) == ("finished", "finished"), trial.reason


def test_a_match_with_a_bot_at_home_is_within_its_rights(four, user, competition, role, monkeypatch):
    monkeypatch.setattr(home_seats, "GRACE", -100.0)  # the bot does not answer, and forfeits at once
    monkeypatch.setattr(home_seats, "PAUSE", 0.0)
    with opened(competition):
        homer = enter_at_home(user, competition, "Homer")
        at_home.take_over(homer.pk, no_clock=False)
        challenges.start(user, homer, [submission.bot for submission in four[1:]], 4)
    with as_role(role):
        playing.play_waiting("home")
        elsewhere = HomeAsk.objects.filter(match__state=State.FINISHED)
        assert not elsewhere.update(answer=b"R")
    assert Match.objects.filter(state=State.FINISHED).exists()
    assert not FailedAttempt.objects.exists()
    assert set(HomeAsk.objects.values_list("state", flat=True)) == {AskState.LATE}


def test_its_rights_survive_a_migration_and_end_when_it_is_shut_out(role, capsys):
    call_command("migrate", verbosity=0)
    with as_role(role):
        assert refused("SELECT 1 FROM django_session")
        assert not Match.objects.exists()
    call_command("worker_role")
    assert capsys.readouterr().out == f"{MACHINE}\n"
