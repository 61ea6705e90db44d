"""A match of one's bot is played again with an edited program: same seed, same seat, same opponents."""

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.bots.models import Submission
from agon.site.matches import leases
from agon.site.matches.models import Match, Recording
from agon.site.matches.queueing import queue
from agon.site.tournaments import scheduling, services
from agon.site.trials import states
from agon.site.trials.models import Trial
from agon.site.workers import trying
from tests.support.factories import activate, duel

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(user) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.fixture
def countess(rps, house, user) -> Submission:
    return activate(user, rps, ["Countess"])[0]


@pytest.fixture
def lost(rps, countess, house):
    """lost(opponent): a ladder match that ada's bot has lost from seat 1; without one, to a house bot."""

    def play(opponent: Submission | None = None) -> Match:
        winner = opponent or house[0]
        queue(rps, Match.Kind.LADDER, Match.Queue.BULK, [winner, countess])
        claimed = leases.claim("w")
        leases.finish(claimed, duel(claimed, [winner.bot.name, "Countess"]))
        return Match.objects.get(pk=claimed.pk)

    return play


@pytest.fixture
def again(tried, countess):
    """again(client, match): POSTs a program to play the match again from seat 1."""

    def post(client: Client, match: Match, seat: int = 1):
        return tried(client, again=f"{match.pk}-{seat}", opponent="", bot=countess.bot_id)

    return post


def test_it_has_the_seed_the_seat_and_the_opponent_of_the_match(ada, lost, again, house):
    match = lost()
    assert again(ada, match).status_code == 200
    trial = Trial.objects.get()
    assert (trial.seed, trial.seat, trial.opponent, trial.again) == (match.seed, 1, house[0], match)
    assert trial.others == [house[0].pk]


def test_the_page_and_the_list_of_ones_lost_matches_lead_there(ada, lost, countess, rps):
    match = lost()
    address = f"/c/rps/editor/?again={match.pk}-1"
    for page in (f"/matches/{match.pk}/", "/c/rps/matches/"):
        assert f'href="{address}"' in ada.get(page).content.decode()
        assert "?again=" not in Client().get(page).content.decode()
    page = ada.get(address)
    text = page.content.decode()
    assert page.context["bot"].bot == countess.bot
    assert "The same seed, and seat 2 for your program." in text
    assert "The opponents are the same." in text


def test_a_bot_of_somebody_else_is_replaced_by_a_house_bot_and_the_page_says_so(ada, lost, again, rps, house):
    (theirs,) = activate(User.objects.create_user("bob"), rps, ["Bob"])
    match = lost(theirs)
    page = ada.get(f"/c/rps/editor/?again={match.pk}-1").content.decode()
    assert again(ada, match).status_code == 200
    trial = Trial.objects.get()
    assert trial.opponent in house
    assert f"{trial.opponent.bot.name} #1 plays in the place of Bob #1." in page


def test_an_own_version_plays_itself(ada, lost, again, rps, user):
    (rival,) = activate(user, rps, ["Byron"])
    match = lost(rival)
    again(ada, match)
    assert Trial.objects.get().opponent == rival


def test_both_results_are_beside_each_other_also_after_a_reload(ada, lost, again):
    match = lost()
    again(ada, match)
    claimed = trying.claim("w")
    record = Recording.objects.get(match=match)
    claimed.move(states.FINISH, record=bytes(record.record), times=bytes(record.times))
    for address in (f"/c/rps/editor/?again={match.pk}-1", f"/c/rps/editor/?trial={claimed.token}"):
        page = ada.get(address).content.decode()
        assert "This try" in page
        assert 'id="try-again"' in page


@pytest.mark.first(3)
@pytest.mark.parametrize(
    "key", ["", "1", "x-1", "1-x", "-", "9" * 30 + "-1", "1-" + "9" * 30, "1--1", "1-1-1", "²-1"]
)
def test_odd_keys_name_nothing(ada, rps, house, key, tried):
    assert ada.get("/c/rps/editor/", {"again": key}).status_code == 200
    assert tried(ada, again=key, opponent="").status_code == 422
    assert not Trial.objects.exists()


def test_nobody_else_and_from_no_other_seat(ada, lost, again):
    match = lost()
    bob = Client()
    bob.force_login(User.objects.create_user("bob"))
    for client in (bob, Client()):
        assert "again-title" not in client.get(f"/c/rps/editor/?again={match.pk}-1").content.decode()
        answer = again(client, match)
        assert answer.status_code == 422
        assert "This match cannot be tried again" in answer.content.decode()
    assert again(ada, match, seat=0).status_code == 422
    assert not Trial.objects.exists()


def test_not_while_the_seed_is_secret(ada, rps, house, countess, again):
    """The seed of a match of a running tournament could tell others of it."""
    bots = [countess.bot, house[0].bot]
    cup = services.create(User.objects.create_user("orga"), rps, "Cup", "round_robin", 1, 1, bots)
    services.start(cup)
    claimed = leases.claim("w")
    leases.finish(claimed, duel(claimed, [house[0].bot.name, "Countess"]))
    match = Match.objects.get(pk=claimed.pk)
    own = match.seats.get(submission=countess).number
    assert "?again=" not in ada.get(f"/matches/{match.pk}/").content.decode()
    assert again(ada, match, own).status_code == 422
    while claimed := leases.claim("w"):
        leases.finish(claimed, duel(claimed, [house[0].bot.name, "Countess"]))
    scheduling.settle(cup.pk)
    assert again(ada, match, own).status_code == 200


def test_not_without_a_record_and_not_in_a_closed_competition(ada, lost, again, rps):
    match = lost()
    rps.state = rps.State.CLOSED
    rps.save()
    assert "?again=" not in ada.get(f"/matches/{match.pk}/").content.decode()
    assert again(ada, match).status_code == 422
    rps.state = rps.State.OPEN
    rps.save()
    Recording.objects.all().delete()
    assert again(ada, match).status_code == 422


@pytest.mark.slow
def test_the_same_program_plays_the_same_match(ada, lost, again, playing):
    match = lost()
    again(ada, match)
    assert trying.play_next()
    trial = Trial.objects.get()
    log = ada.get(f"{trial.get_absolute_url()}log.json").json()
    assert [seat["name"] for seat in log["seats"]] == ["Fibber", "Your program"]
    assert trial.outcome == "won", trial.reason
