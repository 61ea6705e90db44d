"""House bots in languages that a site does not offer: left out with a word, and everything else goes on."""

import dataclasses
import re

import pytest

from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import State
from agon.site.competitions.models import Competition
from agon.site.use_cases import house_bots as house
from agon.site.use_cases import qualification
from agon.supervisor import prepare
from games.core.manifest import house_bots, load
from sandbox.building import selftest
from sandbox.building.selftest import LanguageState
from sandbox.languages import registry

pytestmark = pytest.mark.django_db


@pytest.fixture
def only_python(monkeypatch):
    def state(language, sandbox, store):
        works = language.slug == "python"
        return LanguageState(language, "3" if works else "", works, "" if works else "it is not installed")

    monkeypatch.setattr(selftest, "query_versions", lambda sandbox: None)
    monkeypatch.setattr(selftest, "state", state)


def test_they_are_named_and_the_others_uploaded(only_python):
    notes = {(entered.game, entered.bot): entered.note for entered in house.install(sandbox=None)}

    for slug in ("samurai", "coup"):
        for bot in house_bots(load(slug)):
            title = registry.get(bot.language).title
            left_out = f"left out, {title} is not offered here: it is not installed"
            assert notes[slug, bot.name] == ("uploaded" if bot.language == "python" else left_out)
    assert "uploaded" in notes.values()
    assert Submission.objects.count() == list(notes.values()).count("uploaded")


def test_one_that_no_upload_may_be_keeps_no_site_from_its_start(only_python, monkeypatch, tmp_path):
    path = tmp_path / "bot.xyz"
    path.write_text("hello")
    first, *_others = house_bots(load("coup"))
    bad = dataclasses.replace(first, path=path)
    monkeypatch.setattr(house.manifest, "house_bots", lambda info: [bad] if info.slug == "coup" else [])

    (entered,) = house.install(sandbox=None)

    assert (entered.game, entered.bot) == ("coup", first.name)
    assert entered.note.startswith("left out: bot.xyz is in no known language")


def test_a_site_says_at_its_start_how_many_it_has_uploaded(only_python, capsys):
    def said():
        prepare.install_house_bots(sandbox=None)
        return capsys.readouterr().out.splitlines()

    first, *left_out = said()
    assert re.fullmatch(r"\d\d house bots uploaded; they are built and tested once the site runs\.", first)
    assert left_out
    assert all("is not offered here" in line for line in left_out)
    assert said() == []

    Submission.objects.filter(bot__name="Moody").update(digest="0" * 64)
    assert said()[0] == "1 house bot uploaded; it is built and tested once the site runs."


def test_a_newcomer_qualifies_against_those_that_are_there(only_python, user):
    list(house.install(sandbox=None))
    samurai = Competition.objects.get(slug="samurai")
    for submission in Submission.objects.filter(bot__competition=samurai):
        submission.state = State.QUALIFYING
        submission.save()
        qualification.activate(submission)
    newcomer = Submission.objects.create(
        bot=Bot.objects.create(owner=user, competition=samurai, name="Rita"), number=1, state=State.BUILT
    )

    match = qualification.start(newcomer)

    weakest = [bot.name for bot in house_bots(load("samurai")) if bot.language == "python"][:3]
    assert [seat.submission.bot.name for seat in match.seats.order_by("number")] == ["Rita", *weakest]


def test_another_competition_of_a_game_gets_them_too(only_python):
    spring = Competition.objects.create(slug="spring", game="samurai", title="Spring cup")
    Competition.objects.create(slug="autumn", game="samurai", title="Autumn cup", state="closed")
    assert house.missing() == [spring]

    assert house.install_missing(sandbox=None) == 1
    written = {bot.name for bot in house_bots(load("samurai")) if bot.language == "python"}
    assert set(Bot.objects.values_list("competition__slug", "name")) == {("spring", name) for name in written}
    assert house.missing() == []
