"""One click runs a game's original contest: what the rules pages say, for every game."""

from collections import Counter
from itertools import permutations, product

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.tournaments.models import Tournament
from games.core.manifest import load
from tests.support.factories import activate

from .conftest import browser_of


def contest_of(game: str) -> Competition:
    return Competition.objects.create(slug=game.replace("_", "-"), game=game, title=load(game).title)


def names(count: int) -> list[str]:
    return [f"bot {number}" for number in range(count)]


@pytest.fixture
def desk(organizer) -> Client:
    return browser_of(organizer)


@pytest.fixture
def pressed(desk, user):
    """Press the button in a competition of `game` with that many bots; the seatings that are queued."""

    def press(game: str, bots: int, words: str) -> list[tuple[str, ...]]:
        competition = contest_of(game)
        activate(user, competition, names(bots))
        page = f"/c/{competition.slug}/tournaments/"
        assert words in desk.get(page).content.decode()
        answer = desk.post(f"{page}original", {"house": "0"})
        cup = Tournament.objects.get()
        assert (answer.headers["Location"], cup.state) == (cup.get_absolute_url(), "running")
        seats = cup.matches.order_by("index").prefetch_related("seats__submission__bot")
        return [tuple(seat.submission.bot.name for seat in match.seats.all()) for match in seats]

    return press


def test_coup_is_ten_rounds_of_all_ordered_pairs(pressed):
    assert pressed("coup", 3, "3 bots · 60 matches") == list(permutations(names(3), 2)) * 10


def test_honest_rps_is_a_hundred_times_all_ordered_pairs_with_self_play(pressed):
    assert pressed("honest_rps", 3, "3 bots · 900 matches") == list(product(names(3), repeat=2)) * 100


@pytest.mark.parametrize(("bots", "words"), [(10, "100 matches"), (11, "200 matches")])
def test_camel_up_is_a_hundred_games_for_every_started_ten_with_four_drawn(pressed, bots, words):
    seatings = pressed("camel_up", bots, words)
    assert len(seatings) == int(words.split()[0])
    assert all(len(set(seating)) == 4 for seating in seatings)
    assert len(set(seatings)) > len(seatings) * 0.9  # drawn


@pytest.mark.parametrize("game", ["language_survival", "samurai"])
def test_four_from_all_bots_play_once_in_each_rotation(pressed, game):
    seatings = pressed(game, 5, "5 bots · 20 matches")
    assert Counter(frozenset(seating) for seating in seatings).most_common()[-1][1] == 4
    for first in range(0, 20, 4):
        table = seatings[first]
        assert seatings[first : first + 4] == [table[turn:] + table[:turn] for turn in range(4)]


@pytest.mark.parametrize(
    ("game", "points"),
    [
        ("coup", "sum of the scores of all matches"),
        ("honest_rps", "sum of the scores of all matches"),
        ("camel_up", "1 point for a win, shared or not"),
        ("language_survival", "1 point for a win, none for a draw"),
        ("samurai", "1 point for a win, none for a draw"),
    ],
)
def test_the_page_says_how_points_are_given(desk, db, game, points):
    assert points in desk.get(f"/c/{contest_of(game).slug}/tournaments/").content.decode()


def test_house_bots_play_only_when_they_are_asked_to(desk, user):
    coup = contest_of("coup")
    activate(user, coup, ["Rita", "Sue", "Taxman"])
    Bot.objects.filter(name="Taxman").update(house=True)
    page = desk.get("/c/coup/tournaments/").content.decode()
    assert "2 bots · 20 matches" in page
    assert "3 bots (with house bots) · 60 matches" in page

    for house, entered in (("0", ["Rita", "Sue"]), ("1", ["Rita", "Sue", "Taxman"])):
        desk.post("/c/coup/tournaments/original", {"house": house})
        assert [entrant.bot.name for entrant in Tournament.objects.first().entrants.all()] == entered
    assert len(set(Tournament.objects.values_list("seed", flat=True))) == 2


def test_house_bots_alone_play_it_where_nobody_else_is_here_yet(desk, user):
    activate(user, contest_of("coup"), ["Rita", "Sue"])
    Bot.objects.update(house=True)
    page = desk.get("/c/coup/tournaments/").content.decode()
    assert "2 bots (with house bots) · 20 matches" in page
    assert page.count('name="house"') == page.count("Run the original contest") == 1


def test_too_few_bots_are_said_instead_of_a_button(desk, user):
    activate(user, contest_of("samurai"), names(3))
    page = desk.get("/c/samurai/tournaments/").content.decode()
    assert "You can run it once 4 bots are active here." in page
    assert "Run the original contest" not in page

    page = desk.post("/c/samurai/tournaments/original", follow=True).content.decode()
    assert "expected 4 or more, got 3" in page
    assert not Tournament.objects.exists()


def test_only_organizers_see_the_button_and_may_press_it(db, user):
    activate(user, contest_of("samurai"), names(4))
    visitor = browser_of(User.objects.create_user("eve"))
    assert "original contest" not in visitor.get("/c/samurai/tournaments/").content.decode()
    assert visitor.post("/c/samurai/tournaments/original").status_code == 404
    assert "/login/" in Client().post("/c/samurai/tournaments/original").headers["Location"]
