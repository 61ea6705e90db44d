"""Pages cost no more where there are many competitions, bots and matches."""

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.leaderboards import table
from agon.site.leaderboards.models import Rating
from agon.site.tournaments import services
from agon.site.web.competitions.views import CARDS
from agon.site.web.matches.forms import MOST_OFFERED
from tests.support.factories import activate, active_bots

from .conftest import browser_of, play

pytestmark = pytest.mark.django_db


def queries(client: Client, address: str) -> list[str]:
    cache.clear()
    with CaptureQueriesContext(connection) as asked:
        assert client.get(address).status_code == 200
    return [captured_query["sql"] for captured_query in asked.captured_queries]


def competitions(count: int) -> list[Competition]:
    return [
        Competition.objects.create(slug=f"samurai-{number}", game="samurai", title=f"Cup {number:03}")
        for number in range(count)
    ]


def test_the_home_page_asks_as_much_for_many_competitions_as_for_one(four, user):
    few = queries(Client(), "/?part=cards")
    for competition in competitions(6):
        activate(user, competition, ["Rita", "Sue"])
    assert len(queries(Client(), "/?part=cards")) == len(few)


def test_readers_of_the_home_page_share_its_cards(four, django_assert_max_num_queries):
    competitions(5)
    Client().get("/")
    with django_assert_max_num_queries(1):
        assert "Cup 004" in Client().get("/?part=cards").content.decode()
    japanese = Client(headers={"accept-language": "ja"}).get("/?part=cards").content.decode()
    assert "Cup 004" in japanese
    assert "Submit a bot" not in japanese


def test_the_home_page_shows_competitions_in_pages(competition):
    competitions(CARDS)
    first, second = (Client().get(f"/?page={page}").content.decode() for page in (1, 2))
    assert first.count('class="contest ') == CARDS
    assert second.count('class="contest ') == 1
    assert 'href="?page=2#competitions"' in first
    assert 'href="?page=1#competitions"' in second
    assert 'hx-get="/?part=cards&amp;page=2"' in second
    for odd in ("0", "99999", "x", "-1"):
        assert Client().get(f"/?page={odd}").content.decode().count('class="contest ') in (1, CARDS)


def test_the_best_bots_of_a_card_are_the_first_of_its_leaderboard(four, user):
    [second] = competitions(1)
    activate(user, second, ["Vera", "Will"])
    for place, rating in enumerate(Rating.objects.order_by("pk")):
        Rating.objects.filter(pk=rating.pk).update(rating=1500 + (place * 7) % 4 * 100, played=20)
    best = table.best([four[0].bot.competition, second], 3)
    for competition in (four[0].bot.competition, second):
        assert best[competition.pk] == table.rows(competition)[:3]


def test_the_page_of_an_author_asks_as_much_for_many_competitions_as_for_one(four, user, signed_in):
    few = queries(signed_in, "/u/ada/")
    for competition in competitions(5):
        activate(user, competition, ["Rita", "Sue"])
    assert len(queries(signed_in, "/u/ada/")) == len(few)


def test_the_page_of_an_author_shows_bots_in_pages(user, competition, signed_in):
    Bot.objects.bulk_create(
        Bot(owner=user, competition=competition, name=f"bot {number:03}", name_key=f"bot {number:03}")
        for number in range(60)
    )
    first, second = (signed_in.get(f"/u/ada/?page={page}").content.decode() for page in (1, 2))
    assert ("60 bots" in first, "bot 049" in first, "bot 050" in first) == (True, True, False)
    assert ("60 bots" in second, "bot 049" in second, "bot 059" in second) == (True, False, True)


def test_the_filter_of_matches_offers_the_best_bots_and_the_one_that_is_chosen(four, user, competition):
    Bot.objects.bulk_create(
        Bot(owner=user, competition=competition, name=f"bot {number:03}", name_key=f"bot {number:03}")
        for number in range(2 * MOST_OFFERED)
    )
    last = Bot.objects.latest("pk")
    page = Client().get(f"/c/samurai/matches/?bot={last.pk}").content.decode()
    select = page.partition('<select name="bot"')[2].partition("</select>")[0]
    assert select.count("<option") <= MOST_OFFERED + 2  # and "All"
    assert f'<option value="{last.pk}" selected>{last.name}</option>' in select
    assert all(f">{submission.bot.name}</option>" in select for submission in four)


@pytest.fixture
def boss(organizer) -> Client:
    return browser_of(organizer)


@pytest.mark.parametrize("model", ["bot", "submission"])
def test_lists_in_the_admin_count_no_matches_of_rows_that_they_do_not_show(four, boss, model):
    play(four)
    address = f"/admin/bots/{model}/"
    counts = [sql for sql in queries(boss, address) if sql.startswith("SELECT COUNT(*)")]
    assert counts
    assert all("matches_seat" not in sql for sql in counts)
    assert not any("JOIN" in sql and 'GROUP BY "bots_' in sql for sql in queries(boss, address))


def test_a_tournament_in_the_admin_asks_as_much_for_many_entrants_as_for_few(four, organizer, boss):
    def cup(bots):
        return services.create(organizer, four[0].bot.competition, "Cup", "balanced", 1, 3, bots)

    bots = [submission.bot for submission in four]
    more = active_bots(bots[0].owner, bots[0].competition, ["Vera", "Will", "Xena"])
    few, many = (cup(chosen) for chosen in (bots, [*bots, *more]))
    of_few, of_many = (
        queries(boss, f"/admin/tournaments/tournament/{tournament.pk}/change/") for tournament in (few, many)
    )
    assert len(of_many) <= len(of_few)


def test_a_match_in_the_admin_asks_once_for_its_seats(four, boss):
    match = play(four)
    asked = queries(boss, f"/admin/matches/match/{match.pk}/change/")
    assert sum("bots_submission" in sql for sql in asked) <= 1
