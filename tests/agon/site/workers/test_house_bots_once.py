"""House bots are uploaded once, to one competition of a game, whatever it is called and whoever uploads."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from agon.site.bots.models import Bot, Submission
from agon.site.competitions.models import Competition
from agon.site.use_cases import house_bots as house
from games.core.broken import working_games
from games.core.manifest import house_bots, load
from sandbox.building import selftest
from sandbox.building.selftest import LanguageState

pytestmark = pytest.mark.production


@pytest.fixture(autouse=True)
def every_language(monkeypatch):
    monkeypatch.setattr(selftest, "query_versions", lambda sandbox: None)
    monkeypatch.setattr(selftest, "state", lambda language, *_: LanguageState(language, "1", True, ""))


def uploads():
    return sorted(Submission.objects.values_list("bot__competition__game", "bot__name", "number"))


def test_a_competition_whose_address_was_changed_is_still_the_games_own(db):
    list(house.install(sandbox=None))
    before = uploads()
    Competition.objects.filter(game="coup").update(slug="court-intrigue")

    list(house.install(sandbox=None))

    assert [competition.slug for competition in Competition.objects.filter(game="coup")] == ["court-intrigue"]
    assert uploads() == before


def test_of_several_competitions_of_a_game_that_at_its_own_address_gets_house_bots_though_it_is_closed(db):
    Competition.objects.create(slug="spring", game="coup", title="Spring", state=Competition.State.CLOSED)
    own = Competition.objects.create(slug="coup", game="coup", title="Coup", state=Competition.State.CLOSED)

    list(house.install(sandbox=None))

    assert set(Bot.objects.filter(competition__game="coup").values_list("competition", flat=True)) == {own.pk}


@pytest.mark.parametrize("facts", [{"state": "archived"}, {"house_bots": False}])
def test_one_that_is_archived_or_wants_none_gets_none_at_the_next_start(db, facts):
    own = Competition.objects.create(slug="coup", game="coup", title="Coup", **facts)
    spring = Competition.objects.create(slug="spring", game="coup", title="Spring")

    list(house.install(sandbox=None))

    assert set(Competition.objects.filter(game="coup")) == {own, spring}
    assert set(Bot.objects.filter(competition__game="coup").values_list("competition", flat=True)) == {
        spring.pk
    }


def test_an_address_that_another_game_has_taken_is_left_to_it(db):
    Competition.objects.create(slug="coup", game="samurai", title="Coup d'etat")

    list(house.install(sandbox=None))

    slugs = dict(Competition.objects.values_list("slug", "game"))
    assert (slugs["coup"], slugs["coup-2"]) == ("samurai", "coup")
    assert set(slugs.values()) == {info.slug for info in working_games() if info.house}


def test_what_another_builder_uploads_meanwhile_is_not_uploaded_again(competition, monkeypatch):
    really, others = house.recipe, [competition]

    def recipe(source):
        while others:  # the other machine is faster
            list(house._enter(others.pop(), sandbox=None))
        return really(source)

    monkeypatch.setattr(house, "recipe", recipe)

    notes = [entered.note for entered in house._enter(competition, sandbox=None)]

    assert set(notes) == {"unchanged"}
    assert set(Submission.objects.values_list("number", flat=True)) == {1}


@pytest.mark.django_db(transaction=True)
def test_of_two_builders_at_once_one_uploads_each_house_bot(competition):
    together = Barrier(2)

    def build(_):
        together.wait()
        house.install_missing(sandbox=None)
        connection.close()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(build, range(2)))

    expected = {bot.name for bot in house_bots(load("samurai"))}
    assert sorted(Submission.objects.values_list("bot__name", flat=True)) == sorted(expected)
