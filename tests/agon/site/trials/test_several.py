"""A program is tried against several opponents at once: house bots and own versions, from every seat."""

from collections import Counter

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.accounts.services import house_user
from agon.site.bots.models import Bot
from agon.site.bots.states import LEAVE
from agon.site.trials import states
from agon.site.trials.models import Trial
from agon.site.trials.states import State
from agon.site.workers import trying
from tests.support.factories import activate

from .conftest import PROGRAM
from .test_trying import BROKEN

pytestmark = pytest.mark.django_db


@pytest.fixture
def several(tried):
    """several(client, opponents, **changes): POSTs a program to be tried against these versions."""

    def post(client, chosen, **changes):
        keys = [str(submission.pk) for submission in chosen]
        data = {"several": "yes", "opponents": keys, "number": "2", "seat": "", "seed": "", "opponent": ""}
        return tried(client, **data | changes)

    return post


def end(trial: Trial, outcome: str) -> None:
    trial.move(states.CLAIM).move(states.FINISH, outcome=outcome, used=1.0)


def test_each_opponent_is_met_from_every_seat_equally_often(client, several, house):
    assert several(client, house, number="4").status_code == 200
    met = Counter(Trial.objects.values_list("opponent", "seat"))
    assert met == {(submission.pk, seat): 2 for submission in house for seat in (0, 1)}


def test_a_seat_may_be_chosen(client, several, house):
    several(client, house[:1], number="3", seat="1")
    assert list(Trial.objects.values_list("seat", flat=True)) == [1, 1, 1]


def test_in_a_game_for_four_the_chosen_sit_at_one_table_and_the_weakest_fill_it(client, competition):
    even, greedy, wanderer, _ = activate(
        house_user(), competition, ["Even", "Greedy", "Wanderer", "StarterPy"]
    )
    Bot.objects.update(house=True)
    data = {"text": PROGRAM, "language": "python", "opponents": [str(even.pk), str(wanderer.pk)]}
    client.post("/c/samurai/editor/", data | {"several": "yes", "number": "4", "seat": ""})
    assert Trial.objects.count() == 4
    assert sorted(Trial.objects.values_list("seat", flat=True)) == [0, 1, 2, 3]
    for trial in Trial.objects.all():
        assert set(trial.others) == {even.pk, greedy.pk, wanderer.pk}


def test_seeds_are_counted_from_the_one_that_was_chosen(client, several, house):
    several(client, house, seed="7")
    assert sorted(Trial.objects.values_list("seed", flat=True)) == [7, 8, 9, 10]
    Trial.objects.all().delete()
    several(client, house)
    assert set(Trial.objects.values_list("seed", flat=True)) == {None}


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"opponents": []}, "Choose an opponent at least"),
        ({"opponents": ["12345"]}, "This opponent is not playing at the moment"),
        ({"number": "0"}, "greater than or equal to 1"),
        ({"number": "3"}, "choose a multiple of 2"),
        ({"number": "14"}, "These are 28 matches; at most 24 are played at once"),
        ({"seat": "2"}, "2 is not one of the available choices"),
        ({"seed": "-1"}, "greater than or equal to 0"),
        ({"seed": "1" * 90}, "less than or equal to"),
        ({"seed": "1" * 5000}, "Enter a whole number"),
        ({"text": " "}, "Write your bot"),
        ({"text": "x" * 70_000}, "This program has 68 KiB"),
    ],
)
def test_what_cannot_be_tried_is_refused_before_anything_is_started(client, several, house, changes, says):
    answer = several(client, house, **changes)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not Trial.objects.exists()


def test_what_the_hour_cannot_hold_is_refused_in_words(client, several, house, settings):
    settings.AGON_TRIAL_SECONDS = 10.0
    several(client, house[:1], number="1", seat="0")
    Trial.objects.update(state=State.FINISHED, used=4.0)
    answer = several(client, house)
    assert (
        "4 matches take about 16 s of worker time, and you have 6 s left of this hour"
        in answer.content.decode()
    )
    assert Trial.objects.count() == 1
    assert several(client, house[:1], number="1", seat="0").status_code == 200


def test_matches_that_the_hour_no_longer_holds_are_not_played(client, several, house, settings):
    several(client, house)
    first = Trial.objects.get(number=0)
    first.move(states.CLAIM).move(states.FINISH, used=settings.AGON_TRIAL_SECONDS)
    assert trying.play_next()
    second = Trial.objects.get(number=1)
    assert second.state == State.FAILED
    assert "was used up before this match" in str(second.reason)


def test_authors_try_against_their_own_active_versions_and_nobody_elses(tried, rps, house, user):
    (own,) = activate(user, rps, ["Countess"])
    (theirs,) = activate(User.objects.create_user("bob"), rps, ["Bob"])
    browser = Client()
    browser.force_login(user)
    choices = browser.get("/c/rps/editor/").context["form"].fields["opponent"].choices
    assert choices[-1] == (str(own.pk), "Countess, your version 1")
    assert len(choices) == len(house) + 1
    assert tried(browser, opponent=str(own.pk)).status_code == 200
    assert Trial.objects.get().opponent == own
    assert tried(browser, opponent=str(theirs.pk)).status_code == 422
    assert tried(Client(), opponent=str(own.pk)).status_code == 422
    own.move(LEAVE)
    assert tried(browser, opponent=str(own.pk)).status_code == 422


def test_the_table_shows_each_result_and_their_sum_and_stays_after_a_reload(client, several, house):
    several(client, house)
    first, second, third, last = Trial.objects.order_by("number")
    end(first, "won")
    end(second, "lost")
    end(third, "drawn")
    address = f"/trials/{first.token}/batch/"
    page = client.get(address).content.decode()
    assert "Won 1, drew 1, lost 1" in page
    assert "3 of 4 played" in page
    assert f'href="/c/rps/editor/?trial={third.token}#trial"' in page
    assert client.get(f"{address}?seen=3-4").status_code == 204
    end(last, "won")
    assert "Won 2, drew 1, lost 1" in client.get(f"{address}?seen=3-4").content.decode()
    assert "Won 2, drew 1, lost 1" in client.get("/c/rps/editor/").content.decode()
    assert "Won 2, drew 1, lost 1" in client.get(f"/c/rps/editor/?trial={second.token}").content.decode()
    assert Client().get(address).status_code == 404


def test_without_scripts_the_page_comes_back_with_the_table(client, rps, house):
    data = {"text": PROGRAM, "language": "python", "opponents": [str(house[1].pk)]}
    data |= {"several": "yes", "number": "2", "opponent": str(house[0].pk)}
    page = client.post("/c/rps/editor/", data, follow=True).content.decode()
    assert "0 of 2 played" in page
    refused = client.post("/c/rps/editor/", data | {"number": "3"})
    assert refused.status_code == 422
    assert '<details class="fold" id="several" open>' in refused.content.decode()


def test_one_try_takes_the_place_of_several_that_wait(client, several, tried, house):
    several(client, house)
    assert tried(client).status_code == 200
    assert Trial.objects.count() == 1
    assert 'id="batch"' in client.get("/c/rps/editor/").content.decode()


@pytest.mark.production
def test_nothing_is_started_while_one_of_several_is_played(client, several, tried, house):
    several(client, house)
    trying.claim("one")
    assert tried(client).status_code == 422
    Trial.objects.get(number=0).move(states.FINISH)
    assert trying.claim("one").number == 1
    assert tried(client).status_code == 422
    assert several(client, house).status_code == 422
    assert Trial.objects.count() == 4


@pytest.mark.production
def test_everybodys_first_match_is_played_before_further_ones(client, several, tried, house):
    several(client, house)
    tried(Client())
    assert [trying.claim("w").batch == "" for _ in range(3)] == [False, True, False]


def test_a_class_behind_one_address_tries_several_each(client, several, tried, house, settings):
    settings.AGON_TRIALS_AT_ONCE = 2
    for _ in range(2):
        assert several(Client(), house).status_code == 200
    assert several(Client(), house).status_code == 422


@pytest.mark.slow
def test_they_are_played_from_their_seats_with_their_seed(client, several, playing, house):
    several(client, house[:1], seed="5")
    assert trying.play_next()
    assert trying.play_next()
    first, second = Trial.objects.order_by("number")
    assert (first.state, second.state) == (State.FINISHED, State.FINISHED), (first.reason, second.reason)
    for trial, seats in ((first, ["Your program", "Fibber"]), (second, ["Fibber", "Your program"])):
        log = client.get(f"{trial.get_absolute_url()}log.json").json()
        assert [seat["name"] for seat in log["seats"]] == seats
        assert trial.outcome == "won"
        part = client.get(trial.get_absolute_url(), headers={"HX-Request": "true"}).content.decode()
        assert "Your program won." in part


@pytest.mark.slow
def test_a_program_that_cannot_be_built_is_built_once(client, several, playing, house):
    several(client, house[:1], text=BROKEN)
    assert trying.play_next()
    assert Trial.objects.get().state == State.REJECTED
    assert not trying.play_next()
