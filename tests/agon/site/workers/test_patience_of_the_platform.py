"""Whatever the platform fails at is tried again a bounded number of times, and given up in words."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.core.db.leases import ATTEMPTS
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.use_cases import house_bots as house
from agon.site.use_cases import qualification
from agon.site.workers import building
from games.core.manifest import house_bots, load
from sandbox.building import selftest
from sandbox.building.selftest import LanguageState
from tests.support.factories import submit
from tests.support.reasons import said

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def fail_builds(submission, how_often: int) -> None:
    for _ in range(how_often):
        Submission.objects.filter(pk=submission.pk, state=State.RECEIVED).update(lease_until=None)
        claimed = building.claim()
        assert claimed == submission
        assert building.fail(claimed, said("the engine has gone"))


def test_a_build_that_the_platform_fails_at_again_and_again_is_given_up(user, competition):
    submission = submit(user, competition, "Rita", State.RECEIVED)

    fail_builds(submission, 11)
    submission.refresh_from_db()
    assert submission.state == State.RECEIVED
    assert str(submission.reason) == (
        "The platform failed to build it and will try again: the engine has gone"
    )

    fail_builds(submission, 1)
    submission.refresh_from_db()
    assert submission.state == State.REJECTED
    assert str(submission.reason) == (
        "The platform failed to build it 12 times and gave up. Last failure: the engine has gone. "
        "Upload it again later, or report this to the site operators."
    )
    assert building.claim() is None


def test_a_build_that_ends_its_worker_each_time_is_given_up_too(user, competition):
    submission = submit(user, competition, "Rita", State.RECEIVED)
    for _ in range(12):
        Submission.objects.filter(pk=submission.pk).update(lease_until=None)
        assert building.claim() == submission
        Submission.objects.filter(pk=submission.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        building.give_back_expired()

    submission.refresh_from_db()
    assert (submission.state, building.claim()) == (State.REJECTED, None)
    assert "the worker was lost" in str(submission.reason)


def test_a_qualification_that_goes_void_again_and_again_is_given_up(user, competition):
    newcomer = submit(user, competition, "Rita", State.BUILT)
    for tried in range(1, 7):
        assert qualification.start_due() == 1
        for _ in range(ATTEMPTS):
            leases.fail(leases.claim("w"), said("no sandbox"))
        newcomer.refresh_from_db()
        assert newcomer.state == (State.BUILT if tried < 6 else State.REJECTED)
        Match.objects.update(finished_at=timezone.now() - timedelta(days=1))

    assert str(newcomer.reason) == (
        "The platform failed to play 6 of its qualification matches and gave up. "
        "Last failure: the platform failed. Upload it again later, or report this to the site operators."
    )
    assert qualification.start_due() == 0


def test_a_house_bot_that_the_platform_gave_up_is_uploaded_again(monkeypatch):
    bot = next(bot for bot in house_bots(load("coup")) if bot.language == "python")
    monkeypatch.setattr(selftest, "query_versions", lambda sandbox: None)
    monkeypatch.setattr(selftest, "state", lambda language, *_: LanguageState(language, "3", True, ""))

    def note() -> str:
        return next(entered.note for entered in house.install(sandbox=None) if entered.bot == bot.name)

    assert [note(), note()] == ["uploaded", "unchanged"]
    submission = Submission.objects.get(bot__name=bot.name, bot__competition__game="coup")
    Submission.objects.exclude(pk=submission.pk).delete()
    fail_builds(submission, 12)
    assert note() == "uploaded"
