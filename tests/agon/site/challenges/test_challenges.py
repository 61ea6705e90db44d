"""Challenges: what is played, what it costs whom, how they end, and who sees them."""

from collections import Counter
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots import reasons
from agon.site.bots.models import Bot
from agon.site.challenges import progress, services
from agon.site.challenges.models import Challenge
from agon.site.challenges.results import results_of
from agon.site.challenges.services import NotChallenged
from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import Rating
from agon.site.matches import leases, queueing, usage
from agon.site.matches.models import Match, Seat, WorkerTime
from agon.site.matches.states import State
from agon.site.use_cases import leaving_play, qualification
from tests.support.at_once import failures_at_once, outcomes_at_once
from tests.support.factories import activate, duel, submit
from tests.support.reasons import said

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def ada(user, rps) -> Bot:
    return activate(user, rps, ["Ada"])[0].bot


@pytest.fixture
def bea(bob, rps) -> Bot:
    return activate(bob, rps, ["Bea"])[0].bot


@pytest.fixture(autouse=True)
def no_pause(monkeypatch) -> None:
    """What the pause is for is tested below."""
    monkeypatch.setattr(queueing, "PAUSE_ON_DEMAND", 0)


def browser_of(somebody) -> Client:
    client = Client()
    client.force_login(somebody)
    return client


def play(challenge, winners) -> int:
    """Play until nothing waits; winners(number) -> names of the bots, the best first; () draws."""
    number = 0
    while (match := leases.claim("w")) is not None:
        assert leases.finish(match, duel(match, winners(number)))
        number += 1
    progress.tick()
    challenge.refresh_from_db()
    return number


def test_both_sit_in_all_seats_equally_often(user, ada, bea):
    challenge = services.start(user, ada, [bea], 7)
    seats = Counter(challenge.matches.values_list("seats__number", "seats__submission__bot__name"))
    assert seats == {(0, "Ada"): 4, (1, "Ada"): 4, (0, "Bea"): 4, (1, "Bea"): 4}
    assert challenge.planned == 8
    assert len(set(challenge.matches.values_list("seed", flat=True))) == 8


def test_a_challenge_counts_won_drawn_and_lost_matches(user, ada, bea):
    challenge = services.start(user, ada, [bea], 20)
    outcomes = [("Ada", "Bea")] * 11 + [()] * 4 + [("Bea", "Ada")] * 5
    assert play(challenge, lambda number: outcomes[number]) == 20
    results = results_of(challenge)
    assert challenge.state == Challenge.State.FINISHED
    assert (results.played, results.won, results.drawn, results.lost) == (20, 11, 4, 5)
    [against] = results.against
    assert (against.ahead, against.equal, against.behind) == (11, 4, 5)
    assert results.score.value == 13 / 20
    assert results.score.low < 0.5 < results.score.high
    page = Client().get(challenge.get_absolute_url()).content.decode()
    assert "Ada gets 65 % of the points" in page.replace("\xa0", " ")


def test_a_challenge_changes_no_rating_and_no_statistics(user, ada, bea):
    play(services.start(user, ada, [bea], 4), lambda number: ("Ada", "Bea"))
    assert not Rating.objects.exclude(played=0).exists()
    assert not Match.objects.exclude(kind=Match.Kind.CHALLENGE).exists()


def test_house_bots_fill_the_seats_that_a_game_has_to_have(user, bob, competition):
    [own, *house] = activate(user, competition, ["Ada", "Hal", "Hob", "Hub"])
    Bot.objects.filter(pk__in=[submission.bot_id for submission in house]).update(house=True)
    rival = activate(bob, competition, ["Bea"])[0].bot
    challenge = services.start(user, own.bot, [rival], 5)
    names = [opponent.submission.bot.name for opponent in challenge.opponents.all()]
    assert names[0] == "Bea"
    assert len(names) == 3
    assert challenge.planned == 8
    for number in range(4):
        seated = Seat.objects.filter(match__challenge=challenge, number=number)
        assert Counter(seated.values_list("name", flat=True)) == dict.fromkeys(["Ada", *names], 2)


def test_a_game_whose_seats_cannot_be_filled_asks_for_more_opponents(user, bob, competition):
    own = activate(user, competition, ["Ada"])[0].bot
    rival = activate(bob, competition, ["Bea"])[0].bot
    with pytest.raises(NotChallenged, match="Choose 3 opponents; this game has 4 seats") as refused:
        services.start(user, own, [rival], 4)
    assert refused.value.field == "opponents"


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("opponents", "matches", "says", "field"),
    [
        ([], 2, "Choose a bot to challenge.", "opponents"),
        (["Ada"], 2, "Choose each bot once.", "opponents"),
        (["Bea", "Bea"], 2, "Choose each bot once.", "opponents"),
        (["Bea", "Bab"], 2, "Choose at most 1 opponents; this game has 2 seats.", "opponents"),
        (["Bea"], 0, "Choose from 1 to 120 matches; got 0.", "matches"),
        (["Bea"], 121, "Choose from 1 to 120 matches; got 121.", "matches"),
        (["Sam"], 2, "Choose bots of one competition.", "opponents"),
        (["Out"], 2, "Out does not play now.", "opponents"),
    ],
)
def test_what_cannot_be_played_is_refused_in_words(
    user, bob, rps, competition, ada, bea, opponents, matches, says, field
):
    activate(bob, rps, ["Bab", "Out"])
    activate(bob, competition, ["Sam"])
    leaving_play.withdraw(Bot.objects.get(name="Out"), bob)
    chosen = [Bot.objects.get(name=name) for name in opponents]
    with pytest.raises(NotChallenged, match=says) as refused:
        services.start(user, ada, chosen, matches)
    assert refused.value.field == field
    assert not Challenge.objects.exists()


def test_the_bot_of_another_challenges_nobody(user, ada, bea):
    with pytest.raises(NotChallenged, match="Choose a bot of yours"):
        services.start(user, bea, [ada], 2)


def test_only_so_many_run_at_a_time(user, ada, bea):
    for _ in range(3):
        challenge = services.start(user, ada, [bea], 2)
    with pytest.raises(NotChallenged, match="You have 3 challenges that are still running"):
        services.start(user, ada, [bea], 2)
    progress.cancel(challenge)
    services.start(user, ada, [bea], 2)


def test_it_ends_in_words_when_a_bot_leaves_play(user, bob, ada, bea):
    challenge = services.start(user, ada, [bea], 4)
    match = leases.claim("w")
    assert leases.finish(match, duel(match, ("Ada", "Bea")))
    leaving_play.withdraw(bea, bob)
    progress.tick()
    challenge.refresh_from_db()
    assert challenge.state == Challenge.State.CANCELLED
    assert leases.claim("w") is None
    page = Client().get(challenge.get_absolute_url()).content.decode()
    assert "One of its bots was withdrawn, stopped, or deleted." in page
    assert "1 of 4 matches have been played." in page


@pytest.mark.parametrize("act", ["stop", "delete"])
def test_it_ends_when_the_challenger_is_stopped_or_deleted(user, ada, bea, act):
    challenge = services.start(user, ada, [bea], 4)
    if act == "stop":
        leaving_play.stop(ada, None, reasons.stopped("why"))
    else:
        leaving_play.delete(ada, user)
    progress.tick()
    challenge.refresh_from_db()
    assert challenge.state == Challenge.State.CANCELLED
    assert Client().get(challenge.get_absolute_url()).status_code == 200


@pytest.mark.parametrize("state", [Competition.State.CLOSED, Competition.State.ARCHIVED])
def test_it_ends_when_the_competition_is_closed_or_archived(user, rps, ada, bea, state):
    challenge = services.start(user, ada, [bea], 4)
    Competition.objects.filter(pk=rps.pk).update(state=state)
    progress.tick()
    challenge.refresh_from_db()
    assert str(challenge.reason) == "The competition was closed."
    assert leases.claim("w") is None
    with pytest.raises(NotChallenged, match="This competition is closed"):
        services.start(user, Bot.objects.get(pk=ada.pk), [bea], 4)


def test_the_versions_that_began_play_on_when_new_ones_come(user, rps, ada, bea):
    challenge = services.start(user, ada, [bea], 2)
    qualification.activate(submit(bea.owner, rps, "Bea"))
    Match.objects.filter(kind=Match.Kind.LADDER).delete()
    assert play(challenge, lambda number: ("Bea", "Ada")) == 2
    assert [result.opponent.number for result in results_of(challenge).against] == [1]


def test_a_void_match_is_left_out(user, ada, bea):
    challenge = services.start(user, ada, [bea], 2)
    for _ in range(3):
        match = leases.claim("w")
        assert leases.fail(match, said("the host broke"))
    play(challenge, lambda number: ("Ada", "Bea"))
    results = results_of(challenge)
    assert (results.played, results.void) == (1, 1)
    assert challenge.state == Challenge.State.FINISHED


def test_a_worker_that_dies_costs_one_attempt(user, ada, bea):
    challenge = services.start(user, ada, [bea], 2)
    match = leases.claim("dies")
    Match.objects.filter(pk=match.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert leases.give_back_expired() == 1
    assert play(challenge, lambda number: ()) == 2
    assert challenge.state == Challenge.State.FINISHED


def test_results_end_it_without_the_sweeper(user, ada, bea, django_capture_on_commit_callbacks):
    challenge = services.start(user, ada, [bea], 2)
    while (match := leases.claim("w")) is not None:
        with django_capture_on_commit_callbacks(execute=True):
            assert leases.finish(match, duel(match, ()))
    challenge.refresh_from_db()
    assert challenge.state == Challenge.State.FINISHED


def test_all_worker_time_is_charged_to_the_challenger(user, ada, bea):
    services.start(user, ada, [bea], 2)
    match = leases.claim("w")
    assert leases.finish(match, duel(match, ()))
    charged = dict(WorkerTime.objects.values_list("bot", "seconds"))
    assert list(charged) == [ada.pk]
    assert charged[ada.pk] > 0


def test_half_of_an_authors_time_is_left_for_rated_matches(user, rps, ada, bea, settings):
    challenge = services.start(user, ada, [bea], 2)
    usage.charge(ada.pk, settings.AGON_BOT_SECONDS / 2 + 1)
    assert leases.claim("w") is None
    page = browser_of(user).get(challenge.get_absolute_url()).content.decode()
    assert "This challenge is waiting" in page
    queueing.queue(rps, Match.Kind.LADDER, Match.Queue.BULK, [ada.active, bea.active])
    assert leases.claim("w").kind == Match.Kind.LADDER


def test_a_challenged_bot_without_time_does_not_hold_it_up(user, ada, bea, settings):
    services.start(user, ada, [bea], 2)
    usage.charge(bea.pk, settings.AGON_BOT_SECONDS + 1)
    assert leases.claim("w") is not None


def test_rated_matches_go_first_in_the_pause_after_a_match_of_a_challenge(user, rps, ada, bea, monkeypatch):
    monkeypatch.setattr(queueing, "PAUSE_ON_DEMAND", 3)
    services.start(user, ada, [bea], 20)
    first = leases.claim("w")
    assert leases.claim("v") is None  # one at a time
    assert leases.finish(first, duel(first, ()))
    Match.objects.filter(pk=first.pk).update(seconds=600)
    others = activate(User.objects.create_user("cyn"), rps, ["Cid", "Dot"])
    kinds = []
    for _ in range(3):
        queueing.queue(rps, Match.Kind.LADDER, Match.Queue.BULK, others)
        match = leases.claim("w")
        assert leases.finish(match, duel(match, ()))
        kinds.append(match.kind)
    assert kinds == [Match.Kind.LADDER] * 3
    assert leases.claim("w").kind == Match.Kind.CHALLENGE


@pytest.mark.django_db(transaction=True)
def test_simultaneous_challenges_keep_the_limit(user, ada, bea):
    outcomes = outcomes_at_once([lambda: services.start(user, ada, [bea], 2)] * 6)
    assert Counter(type(outcome) for outcome in outcomes) == {Challenge: 3, NotChallenged: 3}
    assert Challenge.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_a_bot_that_leaves_at_that_moment_is_not_played(user, bob, ada, bea):
    acts = [lambda: services.start(user, ada, [bea], 2), lambda: leaving_play.withdraw(bea, bob)]
    assert all(isinstance(failure, NotChallenged) for failure in failures_at_once(acts))
    progress.tick()
    assert not Match.objects.filter(state=State.QUEUED).exists()
    assert not Challenge.objects.filter(state=Challenge.State.RUNNING).exists()
