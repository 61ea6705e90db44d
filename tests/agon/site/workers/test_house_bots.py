"""The house bots of every game: uploaded once, built and tried by real workers."""

import pytest
from django.core.management import call_command

from agon.site.accounts.models import User
from agon.site.accounts.services import ensure_admin, house_user
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import State
from agon.site.use_cases import house_bots
from games.core.manifest import all_games, load
from tests.support.processes import until

from .test_workers import same_sandbox, workers

__all__ = ["same_sandbox", "workers"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.mark.exhaustive
def test_house_bots_are_installed_once_and_play(db, workers, capsys, monkeypatch):
    slugs = [info.slug for info in all_games()]
    monkeypatch.setattr(house_bots, "working_games", lambda: [load(slug) for slug in slugs])
    call_command("install_house_bots")

    said = capsys.readouterr().out
    assert "samurai" in said
    assert "uploaded" in said
    installed = Submission.objects.count()
    assert installed == sum(len(load(slug).house) for slug in slugs)
    assert {bot.owner.username for bot in Bot.objects.all()} == {"house"}

    call_command("install_house_bots")
    assert Submission.objects.count() == installed

    workers.worker("build,interactive")
    done = (State.ACTIVE, State.REJECTED)
    until(lambda: not Submission.objects.exclude(state__in=done).exists(), 600, workers)
    assert [
        (str(submission), submission.reason) for submission in Submission.objects.filter(state=State.REJECTED)
    ] == []


def test_nobody_can_sign_in_as_the_house(db):
    assert not house_user().has_usable_password()
    password = ensure_admin()
    assert User.objects.get(username="admin").check_password(password)
    assert ensure_admin() is None
