"""The pages of a leaderboard: shared by all readers, with each reader's own rows."""

import html
import re

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.test import Client

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.bots.models import Bot, Submission
from agon.site.bots.services import receive
from agon.site.bots.states import State
from agon.site.leaderboards import ratings
from agon.site.leaderboards.models import Leaderboard, Rated, Rating
from agon.site.leaderboards.table import rows
from agon.site.use_cases import qualification
from agon.site.web.leaderboards import board
from tests.support.factories import activate, submit


@pytest.fixture(autouse=True)
def no_pages_of_other_tests():
    """Keys come again, and versions with them."""
    cache.clear()


@pytest.fixture
def reader(user):
    client = Client()
    client.force_login(user)
    return client


def many(competition, user, count):
    """Ranked bots of another author, without what a real one would cost."""
    bob = User.objects.create_user("bob")
    for number in range(count):
        bot = Bot.objects.create(owner=bob, competition=competition, name=f"Bot {number:03}")
        submission = Submission.objects.create(
            bot=bot, number=1, digest=f"{number:064}", filename="a.py", state=State.ACTIVE
        )
        rating = Rating.objects.create(
            competition=competition,
            played=50,
            rating=2000 - number,
            low=1900 - number,
            high=2100 - number,
            best=number + 1,
            worst=number + 2,
        )
        Rated.objects.create(submission=submission, rating=rating)
    ratings.raise_version(competition)


def shown(client, address="/c/samurai/?part=board"):
    page = client.get(address).content.decode()
    return re.findall(r'id="((?:row|own)-\d+)"', page), html.unescape(page)


def values(competition, *intervals):
    """Rows with these (low, rating, high)."""
    four = activate(User.objects.create_user("x"), competition, ["a", "b", "c", "d"][: len(intervals)])
    for submission, (low, rating, high) in zip(four, intervals, strict=True):
        ranked = {"best": 1, "worst": 4, "played": 50}
        Rating.objects.filter(rated__submission=submission).update(
            low=low, rating=rating, high=high, **ranked
        )
    table = rows(competition)
    scale = board.Scale.of(table)
    return [tuple(scale.band(row)) for row in table]


def test_bars_show_where_each_interval_lies(competition):
    assert values(competition, (1500, 1600, 1700), (1200, 1300, 1400), (1400, 1450, 1500)) == [
        (60.0, 40.0, 80.0),
        (40.0, 20.0, 50.0),
        (0.0, 40.0, 20.0),
    ]


def test_bars_of_negative_ratings_are_within_the_page(competition):
    bands = values(competition, (-500, -100, 300), (-1500, -900, -300))
    assert [band[0] for band in bands] == [55.6, 0.0]


def test_bars_of_equal_ratings_and_of_a_lone_bot_are_within_the_page(competition, coup):
    assert values(competition, (1500, 1500, 1500)) == [(50.0, 0.0, 50.0)]


def test_the_bar_of_a_newcomer_does_not_narrow_the_others(competition):
    values(competition, (1500, 1600, 1700), (1200, 1300, 1400), (0, 1450, 3000))
    Rating.objects.filter(low=0).update(played=1)
    table = rows(competition)
    assert board.Scale.of(table) == (1200, 1700)
    assert board.Scale.of(table).band(table[1]) == (0.0, 100.0, 50.0)


def test_a_page_has_fifty_rows_and_the_readers_own_of_other_pages_above(user, competition, reader, client):
    many(competition, user, 120)
    [own] = activate(user, competition, ["Own"])
    Rating.objects.filter(rated__submission=own).update(rating=0, played=50, best=121, worst=121)
    ratings.raise_version(competition)

    ids, page = shown(reader)
    assert ids[0] == f"own-{own.bot_id}"
    assert len(ids) == 51
    assert "page 1 of 3" in page
    assert len(shown(client)[0]) == 50
    last, _ = shown(reader, "/c/samurai/?part=board&page=3")
    assert last[-1] == f"row-{own.bot_id}"
    assert len(last) == 21
    assert shown(client, "/c/samurai/?part=board&page=999")[0] == last
    assert shown(reader, "/c/samurai/?part=board&q=119")[0] == [last[-2]]


@pytest.mark.parametrize(("words", "count"), [("bot 00", 11), ("BOB 119", 1), ("nobody at all", 0)])
def test_names_of_bots_and_authors_are_searched(user, competition, client, words, count):
    many(competition, user, 120)
    ids, _ = shown(client, f"/c/samurai/?part=board&q={words}")
    assert len(ids) == count


def test_columns_are_sorted_by_their_headers(user, competition, client):
    many(competition, user, 3)
    Rating.objects.filter(rated__submission__bot__name="Bot 001").update(played=99)
    ids = {name: shown(client, f"/c/samurai/?part=board&sort={name}")[0] for name in (*board.SORTS, "none")}
    assert ids["rating"] == ids["bot"] == ids["none"]
    assert ids["played"][0] == ids["rating"][1]


def test_a_page_is_rendered_once_for_each_change(user, competition, client, monkeypatch):
    many(competition, user, 3)
    rendered = []
    original = board._rendered
    monkeypatch.setattr(board, "_rendered", lambda *what: rendered.append(what) or original(*what))

    for _ in range(3):
        shown(client)
    ratings.raise_version(competition)
    shown(client)

    assert len(rendered) == 2


def test_pages_that_do_not_exist_are_not_kept_apart(user, competition, client, monkeypatch):
    """Numbers in addresses are anyone's choice, and the cache is everyone's."""
    many(competition, user, 60)
    kept = set()
    original = cache.set
    monkeypatch.setattr(cache, "set", lambda key, *rest: kept.add(key) or original(key, *rest))
    pages = {shown(client, f"/c/samurai/?part=board&page={page}")[1] for page in (2, 3, 4, 999_999, "9" * 40)}
    assert len(pages) == 1
    assert len([key for key in kept if key.startswith("board:")]) == 1


def test_open_pages_get_the_board_with_the_event_unless_the_readers_rows_may_be_on_another_page(
    user, competition, reader, client
):
    many(competition, user, 49)
    activate(user, competition, ["Own"])
    ratings.raise_version(competition)
    streamed = 'data-events="/c/samurai/events/?board=1"'
    assert streamed in client.get("/c/samurai/").content.decode()
    page = reader.get("/c/samurai/").content.decode()
    assert streamed in page
    assert f'data-accounts="{user.username}"' in page
    assert streamed not in reader.get("/c/samurai/?sort=won").content.decode()
    activate(User.objects.get(username="bob"), competition, ["One more"])
    ratings.raise_version(competition)
    assert streamed in client.get("/c/samurai/").content.decode()
    page = reader.get("/c/samurai/").content.decode()
    assert streamed not in page
    assert 'data-events="/c/samurai/events/"' in page


def test_a_part_is_compressed_and_small(user, competition, client):
    many(competition, user, 120)
    sent = client.get("/c/samurai/?part=board", headers={"accept-encoding": "gzip"})
    assert sent.headers["Content-Encoding"] == "gzip"
    assert len(sent.content) < 15_000


def test_an_organizer_asks_for_the_first_ranks_and_takes_it_back(user, competition, reader):
    user.groups.add(Group.objects.get(name="Organizers"))
    activate(user, competition, ["a", "b", "c", "d"])

    reader.post("/c/samurai/decide/", {"first": "2", "most": "50"})
    leaderboard = Leaderboard.objects.get(competition=competition)
    assert (leaderboard.decide_first, leaderboard.matches_left) == (2, 50)
    assert "additional matches left: 50" in reader.get("/c/samurai/").content.decode()

    reader.post("/c/samurai/decide/", {"stop": "1"})
    assert Leaderboard.objects.get(competition=competition).decide_first == 0
    entries = [(act.verb, act.details) for act in Act.objects.all()]
    assert entries == [("decide", {"first": 2, "matches": 50}), ("no decide", {})]


@pytest.mark.parametrize("wrong", [{"first": "0", "most": "5"}, {"first": "x", "most": "5"}, {"first": "1"}])
def test_a_bad_number_is_named_and_changes_nothing(user, competition, reader, wrong):
    user.groups.add(Group.objects.get(name="Organizers"))
    answer = reader.post("/c/samurai/decide/", wrong, follow=True).content.decode()
    assert "Ranks to decide:" in answer or "Additional matches, at most:" in answer
    assert not Leaderboard.objects.exclude(decide_first=0).exists()


def test_an_earlier_version_plays_again_with_its_rating(user, competition, reader, settings):
    settings.AGON_LADDER_MATCHES = 0
    first = _uploaded(user, competition, b"print(1)\n")
    Rating.objects.filter(rated__submission=first).update(played=40, rating=1777)
    second = _uploaded(user, competition, b"print(2)\n")
    first.refresh_from_db()
    assert (first.state, second.rated.rating.predecessor) == (State.REPLACED, first.rated.rating)
    assert f"/submissions/{first.pk}/restore/" in reader.get(first.bot.get_absolute_url()).content.decode()

    assert reader.get(f"/submissions/{first.pk}/restore/").status_code == 200
    reader.post(f"/submissions/{first.pk}/restore/")

    third = Submission.objects.get(number=3)
    assert (third.digest, third.state) == (first.digest, State.RECEIVED)
    _activate(third)
    assert third.rated.rating == first.rated.rating
    assert [(row.version, row.points) for row in rows(competition)] == [(3, 1777)]


def test_only_a_replaced_version_plays_again(user, competition, reader):
    [active] = activate(user, competition, ["a"])
    submit(user, competition, "a", State.REJECTED)
    for submission in Submission.objects.all():
        reader.post(f"/submissions/{submission.pk}/restore/")
    assert Submission.objects.count() == 2
    assert active.state == State.ACTIVE


def _uploaded(user, competition, program):
    return _activate(receive(user, competition, "Own", "own.py", program))


def _activate(submission):
    submission.state = State.QUALIFYING
    submission.save()
    qualification.activate(submission)
    return submission


def settled_rows(client) -> list[str]:
    """The names of the bots whose rows say so."""
    cache.clear()
    page = client.get("/c/samurai/").content.decode()
    row_texts = re.findall(r'id="row-(\d+)"(.*?)</tr>', page, re.DOTALL)
    return [Bot.objects.get(pk=pk).name for pk, row in row_texts if 'class="settled"' in row]


@pytest.fixture
def ranked(user, competition, settings):
    """Of three bots the rank of one is decided; another one has played all that the ladder plays."""
    settings.AGON_LADDER_MATCHES = 60
    ranks = {"decided": (1, 1, 30), "much played": (2, 3, 60), "open": (2, 3, 30)}
    for submission in activate(user, competition, list(ranks)):
        best, worst, played = ranks[submission.bot.name]
        Rating.objects.filter(rated__submission=submission).update(
            best=best, worst=worst, played=played, won=9
        )
    return competition


def test_rows_and_pages_of_bots_that_rest_say_why(client, ranked):
    assert sorted(settled_rows(client)) == ["decided", "much played"]
    says = {
        name: re.findall(
            r'id="settled">\s*([^<]+?)\s*</p>', client.get(bot.get_absolute_url()).content.decode()
        )
        for name, bot in ((bot.name, bot) for bot in Bot.objects.all())
    }
    assert says["open"] == ["The ladder rests: a match needs 4 bots, and 3 may play."]
    assert "its rank is decided" in says["decided"][0]
    assert "it has played 60 rated matches" in says["much played"][0]
    assert "Settled: the rank is decided" in client.get("/c/samurai/").content.decode()


def test_a_bot_that_an_organizer_wants_decided_is_not_settled(client, ranked):
    Leaderboard.objects.filter(competition=ranked).update(decide_first=2, matches_left=50)
    assert settled_rows(client) == ["decided"]


def test_no_row_of_a_closed_ladder_is_settled(client, ranked):
    type(ranked).objects.update(state="closed")
    assert settled_rows(client) == []


def test_pinned_rows_say_it_too(reader, ranked, monkeypatch):
    monkeypatch.setattr(board, "SIZE", 1)
    _rows, page = shown(reader)
    assert page.count('class="settled"') == 2
