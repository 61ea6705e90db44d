"""The ladder of rungs: what counts, in which order, what is next; as a page and for programs."""

import json
import re

import pytest
from django.core.cache import cache

from agon.site.challenges import services as challenges
from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import Rating
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.use_cases import qualification
from tests.support.factories import activate, duel, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def bots(user):
    """Mia, a house bot, and others on both sides of her, by rating."""
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="RPS")
    names = ["House", "Mia", *(f"Weaker {number}" for number in range(5)), *(f"Better {n}" for n in range(5))]
    made = activate(user, rps, names)
    for submission, rating in zip(
        made, [900, 1500, *range(1000, 1500, 100), *range(1600, 2100, 100)], strict=True
    ):
        Rating.objects.filter(rated__submission=submission).update(rating=rating, played=20)
    house = made[0].bot
    house.house = True
    house.save()
    return {submission.bot.name: submission for submission in made}


def rated(seats, winner: str, times: int) -> None:
    for _ in range(times):
        Match.objects.filter(state=Match.State.QUEUED).delete()
        queueing.queue(seats[0].bot.competition, Match.Kind.LADDER, Match.Queue.BULK, seats)
        match = leases.claim("w")
        assert leases.finish(match, duel(match, [winner, *(seat.bot.name for seat in seats)]))


def answer(client, bot) -> dict:
    cache.clear()
    return json.loads(client.get(f"/api/v1/bots/{bot.pk}/rungs").content)


def test_rungs_are_house_bots_and_neighbors_from_the_weakest_and_few_matches_are_not_known(client, bots):
    mia, house = bots["Mia"], bots["House"]
    rated([mia, house], "Mia", 5)
    document = answer(client, mia.bot)
    assert [rung["name"] for rung in document["rungs"]] == [
        "House", "Weaker 2", "Weaker 3", "Weaker 4", "Better 0", "Better 1", "Better 2",
    ]  # fmt: skip
    assert {rung["verdict"] for rung in document["rungs"]} == {"unknown"}
    assert (document["beaten"], document["next"]["name"]) == (0, "House")
    assert document["rungs"][1]["confidence"] == 0.5
    rated([mia, house], "Mia", 1)
    rated([bots["Weaker 2"], mia], "Weaker 2", 6)
    document = answer(client, mia.bot)
    verdicts = {rung["name"]: (rung["verdict"], rung["ahead"], rung["behind"]) for rung in document["rungs"]}
    assert verdicts["House"] == ("beats", 6, 0)
    assert verdicts["Weaker 2"] == ("loses", 0, 6)
    assert (document["beaten"], document["next"]["name"]) == (1, "Weaker 2")
    html = client.get(f"/bots/{mia.bot_id}/rungs/").content.decode()
    assert re.search(r'id="next-rung">\s*Next: <a href="/bots/\d+/">Weaker 2</a>', html)
    assert [html.count(words) for words in ("beats it", "loses to it", "not known yet</span>")] == [1, 1, 5]
    assert f'href="/bots/{mia.bot_id}/rungs/"' in client.get(f"/bots/{mia.bot_id}/").content.decode()


def test_neither_challenges_nor_matches_of_earlier_versions_count(client, user, bots):
    mia, house = bots["Mia"], bots["House"]
    rated([mia, house], "Mia", 6)
    challenges.start(user, mia.bot, [bots["Better 0"].bot], 2)
    match = leases.claim("w")
    assert leases.finish(match, duel(match, ["Mia", "Better 0"]))
    assert sum(rung["matches"] for rung in answer(client, mia.bot)["rungs"]) == 6
    qualification.activate(submit(user, mia.bot.competition, "Mia"))
    document = answer(client, mia.bot)
    assert document["row"]["version"] == 2
    assert [rung["matches"] for rung in document["rungs"] if rung["name"] == "House"] == [0]


def test_a_bot_that_does_not_play_has_no_rungs(client, user, bots):
    waiting = submit(user, bots["Mia"].bot.competition, "Waits")
    document = answer(client, waiting.bot)
    assert (document["row"], document["rungs"], document["next"]) == (None, [], None)
    assert (
        "No version of this bot plays now." in client.get(f"/bots/{waiting.bot_id}/rungs/").content.decode()
    )
