"""Running tournaments share the workers: none waits until another one is over."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Submission
from agon.site.matches import leases, shares
from agon.site.matches.models import Match
from agon.site.matches.shares import Key, Share
from agon.site.tournaments import reruns, scheduling, services
from agon.site.tournaments.models import Tournament
from tests.support.factories import active_bots, played

pytestmark = pytest.mark.production
BULK = (Match.Queue.BULK,)
NAMES = [f"bot{number}" for number in range(8)]


@pytest.fixture
def bots(user, competition):
    return active_bots(user, competition, NAMES)


@pytest.fixture
def rival(db):
    return User.objects.create_user("rival")


def started(organizer, competition, bots, format="drawn", rounds=50, **settings) -> Tournament:
    made = services.create(organizer, competition, format, format, rounds, 1, bots, settings)
    services.start(made)
    return made


def play(match: Match, seconds: float) -> None:
    """As a worker that took so long."""
    leases.finish(match, played(match))
    Match.objects.filter(pk=match.pk).update(seconds=seconds, finished_at=timezone.now())


def claimed(times: int, seconds: float = 0.1) -> list[int]:
    """The tournaments of the next matches, each played in so many seconds."""
    tournaments = []
    for _ in range(times):
        match = leases.claim("w", BULK)
        tournaments.append(match.tournament_id)
        play(match, seconds)
    return tournaments


def share(number: int, seconds: float = 0.0, priority: int = 1, adaptive: bool = False) -> Share:
    return Share(Key(Match.Kind.TOURNAMENT, number), seconds, priority, adaptive, number)


def order(*given: Share) -> list[int]:
    return [next_share.key.number for next_share in shares.in_turn(given)]


def test_the_tournament_that_took_the_least_time_lately_is_next():
    assert order(share(1, 40.0), share(2, 0.0), share(3, 7.0)) == [2, 3, 1]


def test_a_final_of_a_higher_priority_has_as_many_shares():
    assert order(share(1, 10.0), share(2, 30.0, priority=4)) == [2, 1]
    assert order(share(1, 10.0), share(2, 41.0, priority=4)) == [1, 2]


def test_among_equals_a_round_that_others_wait_for_comes_first():
    assert order(share(1), share(2, adaptive=True), share(3)) == [2, 1, 3]


def test_two_tournaments_take_turns_whichever_began_first(user, rival, competition, bots):
    first = started(user, competition, bots)
    assert set(claimed(5)) == {first.pk}
    second = started(rival, competition, bots)

    assert claimed(5) == [second.pk] * 5  # until it has had as much as the first one lately
    assert sorted(claimed(20).count(cup.pk) for cup in (first, second)) == [10, 10]


def test_of_a_tournament_alone_the_oldest_match_is_next(user, competition, bots):
    cup = started(user, competition, bots)
    order = list(cup.matches.order_by("pk").values_list("pk", flat=True))
    assert [leases.claim("w", BULK).pk for _ in range(4)] == order[:4]
    assert claimed(3) == [cup.pk] * 3


def test_what_is_being_played_counts_too(user, rival, competition, bots):
    first, second = started(user, competition, bots), started(rival, competition, bots)
    batch = leases.claim_many("w", BULK, 8)
    earlier = timezone.now() - timedelta(seconds=5)
    Match.objects.filter(pk__in=[match.pk for match in batch]).update(started=earlier)

    idle = ({first.pk, second.pk} - {batch[0].tournament_id}).pop()
    assert {match.tournament_id for match in leases.claim_many("v", BULK, 8)} == {idle}


def test_time_before_the_window_is_forgotten(user, rival, competition, bots):
    first = started(user, competition, bots)
    claimed(5, seconds=60.0)
    old = timezone.now() - shares.WINDOW - timedelta(seconds=1)
    Match.objects.filter(tournament=first, state="finished").update(finished_at=old)
    started(rival, competition, bots)
    assert claimed(1) == [first.pk]


@pytest.mark.exhaustive
def test_matches_that_are_run_again_have_a_share_of_their_own(user, rival, competition, bots):
    over = started(user, competition, bots, rounds=1)
    claimed(over.total)
    scheduling.tick()
    started(rival, competition, bots)
    claimed(10)
    begun = reruns.begin(
        over, reruns.Choice(numbers=tuple(over.matches.values_list("pk", flat=True))), user, "why"
    )

    assert leases.claim("w", BULK).kind == Match.Kind.RERUN
    assert begun.matches.count() == over.total


def test_a_tournament_of_another_version_of_its_game_waits_until_that_is_back(
    client, user, rival, competition, bots
):
    """Matches by other rules would count in the same standings, and its archive could not be verified."""
    changed = started(user, competition, bots)
    assert changed.game_version == competition.info.version
    Tournament.objects.filter(pk=changed.pk).update(game_version="0")
    assert leases.claim("w", BULK) is None
    page = client.get(changed.get_absolute_url()).content.decode()
    assert "began with another version of its game" in page

    other = started(rival, competition, bots)
    assert set(claimed(5)) == {other.pk}
    Tournament.objects.filter(pk=changed.pk).update(game_version=competition.info.version)
    assert set(claimed(5)) == {changed.pk}
    assert "another version" not in client.get(changed.get_absolute_url()).content.decode()


def test_so_do_its_matches_that_are_run_again(user, competition, bots):
    over = started(user, competition, bots, rounds=1)
    claimed(over.total)
    scheduling.tick()
    reruns.begin(over, reruns.Choice(numbers=(over.matches.first().pk,)), user, "why")
    Tournament.objects.filter(pk=over.pk).update(game_version="0")
    assert leases.claim("w", BULK) is None
    Tournament.objects.filter(pk=over.pk).update(game_version=competition.info.version)
    assert leases.claim("w", BULK).kind == Match.Kind.RERUN


def test_matches_with_bots_in_a_language_that_a_worker_lacks_are_left_to_others(user, competition, bots):
    cup = started(user, competition, bots, rounds=2)
    Submission.objects.filter(bot=bots[0]).update(language="lua")
    others = [
        match.pk for match in cup.matches.order_by("id") if not match.seats.filter(submission__bot=bots[0])
    ]
    left = [leases.claim_many("w", BULK, 1, ["lua"]) for _ in range(len(others) + 1)]
    assert [match.pk for claimed in left for match in claimed] == others
    assert leases.claim("v", BULK).seats.filter(submission__bot=bots[0]).exists()
