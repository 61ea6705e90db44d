"""Seeds of a site's matches: drawn or derived, kept whole on every database, and those from before go on."""

import pytest
from django.db import connection

from agon.contest.archive.verify import verify
from agon.site.archives import services as archives
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tournaments import scheduling, services
from games.core.seeds import LARGEST_SEED
from tests.support.factories import activate, played
from tests.support.reasons import said


@pytest.fixture
def five(user, competition):
    return activate(user, competition, ["a", "b", "c", "d", "e"])


@pytest.fixture
def cup(user, competition, five):
    return services.create(
        user, competition, "Cup", "rotations", 1, 100, [submission.bot for submission in five]
    )


def test_every_match_outside_of_tournaments_has_a_secret_of_its_own(competition, five):
    drawn = {
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, five[:4]).seed for _ in range(50)
    }
    assert len(drawn) == 50
    assert all(seed >> 255 == 1 for seed in drawn)
    assert set(Match.objects.values_list("seed", flat=True)) == drawn


@pytest.mark.parametrize("seed", [0, -1, 1 << 53, (1 << 63) - 1, 1 << 63, LARGEST_SEED])
def test_a_seed_of_any_size_is_kept_exactly(seed, competition, five):
    match = queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, five[:4], seed=seed)
    match.refresh_from_db()
    assert match.seed == seed
    assert Match.objects.get(seed=seed) == match


def test_a_tournaments_seeds_follow_from_its_salt_and_the_versions_that_were_frozen(cup):
    services.start(cup)
    cup.refresh_from_db()
    schedule = scheduling.scheduled_matches(cup)
    digests = [entrant.submission.digest for entrant in cup.entrants.select_related("submission")]
    seeds = list(cup.seeds.of_schedule(schedule))
    assert len(cup.draw) == 64
    for match in cup.matches.all():
        scheduled = schedule[match.index]
        assert match.seed == seeds[match.index]
        assert [seat.submission.digest for seat in match.seats.select_related("submission")] == [
            digests[number] for number in scheduled.seats
        ]
    assert len(set(cup.matches.values_list("seed", flat=True))) == 20


def test_a_match_that_failed_is_played_from_another_seed(competition, five, cup, tmp_path):
    """What its bots saw, and told by hidden channels, is of no use in the next attempt."""
    services.start(cup)
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, five[:4])
    for attempts in (leases.claim("w"), leases.claim("w")):
        used = set()
        while attempts is not None and attempts.attempt < 3:
            used.add(attempts.seed)
            leases.fail(attempts, said("the engine is away"))
            attempts = leases.claim("w")
        used.add(attempts.seed)
        assert len(used) == 3
        leases.finish(attempts, played(attempts))
    services.cancel(cup)
    archive = tmp_path / "cup.zip"
    archive.write_bytes(b"".join(archives.of_tournament(cup)))
    assert (verify(archive).matches, verify(archive).differences) == (1, ())


def test_an_organizer_who_repeats_a_tournament_gets_another_one(user, competition, five, cup):
    again = services.create(
        user, competition, "Cup", "rotations", 1, 100, [submission.bot for submission in five]
    )
    assert again.commitment != cup.commitment
    services.start(again)
    services.start(cup)
    assert again.seeds.of_seatings() != cup.seeds.of_seatings()
    assert not set(again.matches.values_list("seed")) & set(cup.matches.values_list("seed"))


def test_a_large_seed_takes_half_the_room_of_its_digits_and_digits_of_before_are_read(competition, five):
    seeds = [1 << 63, (1 << 255) + 7, LARGEST_SEED]
    for seed in seeds:
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, five[:4], seed=seed)
    with connection.cursor() as cursor:
        cursor.execute("SELECT seed FROM matches_match ORDER BY id")
        stored = [text for (text,) in cursor.fetchall()]
        assert max(map(len, stored)) == 41 < len(str(LARGEST_SEED)) / 1.8
        cursor.execute("UPDATE matches_match SET seed = %s WHERE seed = %s", [str(seeds[1]), stored[1]])
    assert list(Match.objects.order_by("pk").values_list("seed", flat=True)) == seeds
