"""Where bots in a language cannot be run, their matches wait: what a machine lacks is no fault of a bot."""

import dataclasses

import pytest
from django.core.cache import cache
from django.test import Client

from agon.site.bots import artifacts, languages
from agon.site.bots.models import Submission
from agon.site.bots.services import receive
from agon.site.matches.models import FailedAttempt, Fault, Match
from agon.site.matches.states import State
from agon.site.trials.models import Trial
from agon.site.workers import building, playing, trying
from agon.site.workers.worker import worker
from sandbox.building.selftest import LanguageState

from .test_fetching import QUICK, empty_cache
from .test_workers import closed, entered, queue, same_sandbox, sandbox

__all__ = ["closed", "empty_cache", "same_sandbox", "sandbox"]
pytestmark = [pytest.mark.slow, pytest.mark.production]


@pytest.fixture
def five(user, competition, sandbox, empty_cache):
    return entered(user, competition, ["north", "east", "south", "west", "more"], sandbox, QUICK)


@pytest.fixture
def in_lua(empty_cache, monkeypatch):
    """in_lua(submission): makes it a bot in Lua, which is not installed here; returns what installs it."""

    def write(submission):
        Submission.objects.filter(pk=submission.pk).update(language="lua")
        sound = artifacts.fetch(submission)
        lacking = dataclasses.replace(sound, language="lua", command=("lua9", "bot.lua"), python=None)
        monkeypatch.setitem(artifacts._loaded, sound.path, lacking)
        return lambda: monkeypatch.setitem(artifacts._loaded, sound.path, sound)

    return write


def test_its_matches_wait_others_are_played_and_it_goes_on_by_itself(
    five, closed, in_lua, monkeypatch, caplog
):
    north, *others = five
    install = in_lua(north)
    waiting = queue(closed, [north, *others[:3]], 3)
    played = queue(closed, others)
    playing.play_waiting("bulk")
    playing.play_waiting("bulk")
    assert {match.pk: match.state for match in Match.objects.all()} == {
        **{match.pk: State.QUEUED for match in waiting},
        **{match.pk: State.FINISHED for match in played},
    }
    assert not Fault.objects.exists()
    assert not FailedAttempt.objects.exists()
    assert "lua9 is not installed" in caplog.text
    cache.set(languages.OFFERED, ["python"])
    page = Client().get(waiting[0].get_absolute_url()).content.decode()
    assert "in a language that does not work on this site at the moment" in page
    cache.delete(languages.OFFERED)

    install()
    monkeypatch.setattr(worker, "_lacking", {})
    playing.play_waiting("bulk")
    assert set(Match.objects.values_list("state", "attempt")) == {(State.FINISHED, 1)}
    assert not Fault.objects.exists()


def test_a_warm_box_of_before_does_not_let_a_bot_lose_its_matches(five, closed, in_lua):
    seats = five[:4]
    queue(closed, seats)
    playing.play_waiting("bulk")
    assert Match.objects.get().state == State.FINISHED
    in_lua(five[0])  # what its box is warm with is removed from the machine
    (waiting,) = queue(closed, seats)
    playing.play_waiting("bulk")
    waiting.refresh_from_db()
    assert (waiting.state, waiting.attempt) == (State.QUEUED, 0)
    assert not Fault.objects.exists()


def test_an_upload_in_a_language_that_is_offered_waits_where_it_does_not_work(user, competition, monkeypatch):
    def missing(language, *_):
        return LanguageState(language, "", False, "not installed (Debian: perl)")

    monkeypatch.setattr("sandbox.building.build.state", missing)
    monkeypatch.setattr(worker, "_lacking", {})
    box = worker.sandbox()
    first = receive(user, competition, "First", "first.pl", b"print 1;")
    assert building.build_next(box)
    first.refresh_from_db()
    assert first.state == "rejected"  # nothing is known of it yet
    cache.set(languages.OFFERED, ["perl"])
    second = receive(user, competition, "Second", "second.pl", b"print 2;")
    assert building.build_next(box)
    second.refresh_from_db()
    assert (second.state, second.attempt, second.lease_until) == ("received", 0, None)
    assert "Perl is not offered here: not installed" in str(second.reason)
    assert not building.build_next(box)  # here
    assert building.claim() == second
    cache.delete(languages.OFFERED)


def test_an_upload_waits_for_the_only_machine_with_its_language_to_come_back(user, competition, monkeypatch):
    def missing(language, *_):
        return LanguageState(language, "", False, "not installed (Debian: perl)")

    monkeypatch.setattr("sandbox.building.build.state", missing)
    monkeypatch.setattr(worker, "_lacking", {})
    cache.set(languages.FOUND, {"here": ["python"], "away": ["perl", "python"]})
    languages.offer({"here", "away"})
    submission = receive(user, competition, "First", "first.pl", b"print 1;")
    languages.offer({"here"})  # the other machine begins anew
    assert not languages.works("perl")
    assert building.build_next(worker.sandbox())
    submission.refresh_from_db()
    assert (submission.state, submission.attempt) == ("received", 0)

    languages.keep({"here": ["python"]})  # the other was not seen for days
    monkeypatch.setattr(worker, "_lacking", {})
    assert building.build_next(worker.sandbox())
    submission.refresh_from_db()
    assert submission.state == "rejected"
    cache.clear()


def test_a_trial_against_a_bot_in_a_language_that_is_missing_waits_for_another_worker(
    five, in_lua, user, competition, monkeypatch
):
    monkeypatch.setattr(worker, "_lacking", {})
    opponent = five[0]
    install = in_lua(opponent)
    trial = Trial.objects.create(
        competition=competition,
        owner=user,
        name="Mine",
        language="python",
        text=QUICK,
        opponent=opponent,
    )
    assert trying.play_next()
    trial.refresh_from_db()
    assert (trial.state, trial.attempt) == ("queued", 0)
    assert not trying.play_next()  # here

    install()
    monkeypatch.setattr(worker, "_lacking", {})
    assert trying.play_next()
    trial.refresh_from_db()
    assert (trial.state, trial.attempt) == ("finished", 1)


def test_a_trial_in_a_language_that_is_offered_waits_for_a_worker_that_has_it(
    user, competition, monkeypatch, caplog
):
    def missing(language, *_):
        return LanguageState(language, "", False, "not installed (Debian: perl)")

    monkeypatch.setattr("sandbox.building.build.state", missing)
    monkeypatch.setattr(worker, "_lacking", {})
    opponent = receive(user, competition, "First", "first.pl", b"print 1;")

    def asked():
        return Trial.objects.create(
            competition=competition,
            owner=user,
            name="Mine",
            language="perl",
            text="print 1;",
            opponent=opponent,
        )

    unknown = asked()
    assert trying.play_next()
    unknown.refresh_from_db()
    assert unknown.state == "rejected"  # nothing is known of it yet

    cache.set(languages.OFFERED, ["perl"])
    trial = asked()
    assert trying.play_next()
    trial.refresh_from_db()
    assert (trial.state, trial.attempt) == ("queued", 0)
    assert "matches with bots of perl wait for other workers" in caplog.text
    assert not trying.play_next()  # here
    assert trying.claim("another") == trial
    cache.delete(languages.OFFERED)
