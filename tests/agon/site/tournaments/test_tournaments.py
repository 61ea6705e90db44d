"""A tournament from draft to standings and archive, through pauses, failures and two schedulers at once."""

import io
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.utils import timezone

from agon.contest.archive import verify
from agon.site.accounts.models import User
from agon.site.archives import services as archives
from agon.site.bots.models import Bot
from agon.site.core.db.leases import ATTEMPTS
from agon.site.core.db.transitions import IllegalTransition
from agon.site.leaderboards.models import Rating
from agon.site.matches import leases
from agon.site.matches.models import Match, Recording
from agon.site.matches.states import State as MatchState
from agon.site.tournaments import match_access as access
from agon.site.tournaments import rights, scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament
from agon.site.tournaments.standings import current_standings
from agon.site.tournaments.states import State
from agon.site.use_cases import qualification
from tests.support.factories import activate, active_bots, played, submit
from tests.support.reasons import said

pytestmark = pytest.mark.production


@pytest.fixture
def bots(user, competition):
    return active_bots(user, competition, ["a", "b", "c", "d", "e"])


@pytest.fixture
def cup(user, competition, bots):
    """20 matches: each of 5 groups of four, rotated through the seats."""
    return services.create(user, competition, "Cup", "rotations", 1, 100, bots)


def play_all(limit=10_000, faults=None):
    while limit and (match := leases.claim("w")) is not None:
        leases.finish(match, played(match, faults))
        limit -= 1


def state(tournament):
    tournament.refresh_from_db()
    return tournament.state


def test_a_draft_plays_nothing(cup):
    assert state(cup) == State.DRAFT
    assert [entrant.bot.name for entrant in cup.entrants.all()] == ["a", "b", "c", "d", "e"]
    assert leases.claim("w") is None


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"name": " "}, "name", "1 to 120 characters"),
        ({"name": "\u200b"}, "name", "invisible characters"),
        ({"name": "Cup \u202egnirpS"}, "name", "invisible characters"),
        ({"name": "\u200d\ufe0f"}, "name", "invisible characters"),
        ({"name": "a\x07b"}, "name", "invisible characters"),
        ({"format": "ladder"}, "format", "expected one of"),
        ({"format": "round_robin"}, "format", "does not fit a game of 4 seats"),
        ({"rounds": 0}, "rounds", "expected 1 or more"),
        ({"rounds": 10**6}, "rounds", "matches, expected at most"),
        ({"seed": -1}, "seed", "from 0 to"),
        ({"seed": 1 << 60}, "seed", "from 0 to"),
    ],
)
def test_a_tournament_that_cannot_be_is_refused_at_the_field(user, competition, bots, change, field, words):
    wanted = {"name": "Cup", "format": "rotations", "rounds": 1, "seed": 1, "bots": bots} | change

    with pytest.raises(BadTournament, match=words) as refused:
        services.create(user, competition, **wanted)

    assert refused.value.field == field
    assert not competition.tournaments.exists()


def test_entrants_are_enough_different_bots_of_the_competition(user, competition, coup, bots):
    [stranger] = activate(user, coup, ["x"])
    for wanted, words in [
        (bots[:3], "expected 4 or more, got 3"),
        ([*bots[:4], bots[0]], "can enter a tournament only once"),
        ([*bots, stranger.bot], "x is not in this competition"),
    ]:
        with pytest.raises(BadTournament, match=words) as refused:
            services.create(user, competition, "Cup", "rotations", 1, 1, wanted)
        assert refused.value.field == "bots"


def test_the_start_freezes_submissions_and_queues_the_whole_schedule(user, competition, cup):
    services.start(cup)

    assert (state(cup), cup.total, cup.scheduled) == (State.RUNNING, 20, 20)
    old = {entrant.bot.name: entrant.submission for entrant in cup.entrants.all()}
    assert activate_new_version(user, competition, "a") not in old.values()
    assert {seat.submission for match in cup.matches.all() for seat in match.seats.all()} == set(old.values())
    assert sorted(cup.matches.values_list("index", flat=True)) == list(range(20))


def activate_new_version(user, competition, name):
    new = submit(user, competition, name)
    qualification.activate(new)
    competition.matches.filter(kind=Match.Kind.LADDER).delete()
    return new


def test_a_bot_without_an_active_submission_cannot_enter(cup, bots):
    bots[2].active = None
    bots[2].save()

    with pytest.raises(BadTournament, match="c has no active submission"):
        services.start(cup)

    assert state(cup) == State.DRAFT
    assert not cup.matches.exists()


def test_a_tournament_cannot_be_started_twice(cup):
    services.start(cup)

    with pytest.raises(IllegalTransition):
        services.start(cup)

    assert cup.matches.count() == 20


def test_it_is_finished_when_every_match_is(cup, django_capture_on_commit_callbacks):
    services.start(cup)
    play_all(limit=19)
    assert state(cup) == State.RUNNING

    with django_capture_on_commit_callbacks(execute=True):
        play_all()

    assert state(cup) == State.FINISHED
    table = current_standings(cup)
    assert sorted(row.bot for row in table) == ["a", "b", "c", "d", "e"]
    assert [row.played for row in table] == [16] * 5
    assert sum(row.won for row in table) == sum(row.points for row in table)


def test_its_matches_change_no_rating(cup):
    services.start(cup)
    play_all()

    assert set(Rating.objects.values_list("played", flat=True)) == {0}


def test_a_void_match_does_not_keep_it_from_finishing(cup, django_capture_on_commit_callbacks):
    services.start(cup)
    play_all(limit=19)
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(ATTEMPTS):
            leases.fail(leases.claim("w"), said("no sandbox"))

    assert state(cup) == State.FINISHED
    assert services.progress(cup).void == 1
    assert sum(row.played for row in current_standings(cup)) == 19 * 4


def test_a_big_schedule_comes_in_chunks_and_is_complete(cup, monkeypatch):
    monkeypatch.setattr(scheduling, "CHUNK", 6)
    monkeypatch.setattr(scheduling, "LARGEST_CHUNK", 6)
    services.start(cup)
    assert cup.matches.count() == 6

    scheduling.tick()
    assert cup.matches.count() == 6

    while state(cup) == State.RUNNING:
        play_all()
        scheduling.tick()

    assert sorted(cup.matches.values_list("index", flat=True)) == list(range(20))
    assert set(cup.matches.values_list("state", flat=True)) == {MatchState.FINISHED}


@pytest.mark.django_db(transaction=True)
def test_two_schedulers_at_once_queue_every_match_once(cup, monkeypatch):
    monkeypatch.setattr(scheduling, "CHUNK", 4)
    monkeypatch.setattr(scheduling, "LARGEST_CHUNK", 4)
    services.start(cup)
    Match.objects.update(state=MatchState.HELD)  # so that a chunk is always missing

    def schedule(_):
        try:
            return scheduling.schedule(cup)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        while any(list(threads.map(schedule, range(4)))):
            Match.objects.filter(tournament=cup).update(state=MatchState.HELD)

    assert sorted(cup.matches.values_list("index", flat=True)) == list(range(20))


def test_a_pause_plays_no_more_and_resuming_goes_on(cup):
    services.start(cup)
    running = leases.claim("w")
    services.pause(cup)

    assert leases.claim("w") is None
    assert leases.finish(running, played(running))

    services.resume(cup)
    play_all()
    scheduling.tick()
    assert state(cup) == State.FINISHED


def test_a_match_that_is_lost_during_a_pause_is_held_with_the_others(cup):
    services.start(cup)
    leases.claim("w")
    services.pause(cup)
    Match.objects.filter(state=MatchState.RUNNING).update(lease_until=timezone.now() - timedelta(seconds=1))
    leases.give_back_expired()

    assert leases.claim("w") is None
    assert set(cup.matches.values_list("state", flat=True)) == {MatchState.HELD}


@pytest.mark.parametrize(
    ("now", "wrong", "right"),
    [(State.PAUSED, MatchState.QUEUED, MatchState.HELD), (State.RUNNING, MatchState.HELD, MatchState.QUEUED)],
)
def test_matches_that_were_given_back_while_it_was_paused_or_resumed_are_set_right(cup, now, wrong, right):
    services.start(cup)
    Tournament.objects.update(state=now)
    cup.matches.filter(index=0).update(state=wrong)
    cup.matches.exclude(index=0).update(state=right)

    scheduling.tick()

    assert set(cup.matches.values_list("state", flat=True)) == {right}


def test_a_cancelled_tournament_plays_nothing_more_and_keeps_what_was_played(cup):
    services.start(cup)
    play_all(limit=3)
    running = leases.claim("w")

    services.cancel(cup)

    assert not leases.finish(running, played(running))
    assert leases.claim("w") is None
    assert services.progress(cup).done == 20
    assert services.progress(cup).void == 17
    with pytest.raises(IllegalTransition):
        services.resume(cup)


def test_progress_estimates_from_measured_matches(cup):
    assert services.progress(cup).seconds_left is None
    services.start(cup)
    assert services.progress(cup).seconds_left is None
    play_all(limit=4)
    leases.claim("v")
    leases.claim("w")

    progress = services.progress(cup)

    assert (progress.total, progress.done, progress.running) == (20, 4, 2)
    assert progress.seconds_left == pytest.approx(0.25 * 16 / 2)


def unzipped(stream, folder):
    with zipfile.ZipFile(io.BytesIO(b"".join(stream))) as archive:
        archive.extractall(folder)
    return folder


def test_the_archive_of_a_tournament_is_verified_by_playing_it_again(cup, tmp_path):
    services.start(cup)
    play_all()

    folder = unzipped(archives.of_tournament(cup), tmp_path / "cup")

    assert verify.verify(folder).differences == ()
    assert len(list(folder.glob("matches/*/record.json"))) == 20
    assert len(list(folder.glob("matches/*/*.stderr"))) == 80


def test_the_archive_of_a_running_tournament_holds_what_is_finished(cup, tmp_path):
    services.start(cup)
    play_all(limit=7)

    folder = unzipped(archives.of_tournament(cup), tmp_path / "cup")

    assert len(list(folder.glob("matches/*/record.json"))) == 7


def test_records_go_into_an_archive_as_they_were_stored(cup, tmp_path):
    services.start(cup)
    play_all(limit=2)
    bytes_of = b'{"what": "the storage holds", \n"format":  1.0}'
    second = cup.matches.order_by("pk")[1]
    Recording.objects.filter(match=second).update(record=zlib.compress(bytes_of))

    folder = unzipped(archives.of_tournament(cup), tmp_path / "cup")

    record = f"matches/{second.index}/record.json"
    assert (folder / record).read_bytes() == bytes_of
    assert verify.verify(folder).differences[0].startswith(f"{record}: format: expected")


def test_a_record_that_is_lost_or_empty_is_named_in_the_archive_and_costs_no_other_match(cup, tmp_path):
    services.start(cup)
    play_all()
    Recording.objects.filter(match__tournament=cup, match__index=1).delete()
    Recording.objects.filter(match__tournament=cup, match__index=4).update(record=b"")

    folder = unzipped(archives.of_tournament(cup), tmp_path / "cup")

    report = verify.verify(folder)
    assert (report.differences, report.matches) == ((), 18)
    gone, damaged = cup.matches.get(index=1), cup.matches.get(index=4)
    assert [note for note in report.notes if "is lost" in note] == [
        f"match 1 was played, but its record is lost: the record of match {gone.pk} is missing",
        f"match 4 was played, but its record is lost: the record of match {damaged.pk} is damaged: "
        "Error -5 while decompressing data: incomplete or truncated stream",
    ]


def test_a_record_that_is_lost_is_told_before_anything_of_its_archive_is_sent(cup):
    services.start(cup)
    play_all(limit=1)
    match = cup.matches.get(index=0)
    match.recording.delete()
    match.refresh_from_db()

    with pytest.raises(FileNotFoundError):
        archives.of_match(match, lambda seat: True)


def test_the_archive_of_one_match_stands_alone(cup, tmp_path):
    services.start(cup)
    play_all(limit=1)

    match = cup.matches.get(index=0)
    folder = unzipped([archives.of_match(match, lambda seat: seat.number == 2)], tmp_path / "match")

    assert verify.verify(folder).differences == ()
    said = {path.name[0]: path.read_text() for path in folder.glob("matches/0/*.stderr")}
    assert said == {"0": "", "1": "", "2": "seat 2 says hello\n", "3": ""}


def test_who_may_run_tournaments(user, cup):
    organizer = User.objects.create_user("olga")
    organizer.groups.add(Group.objects.get(name="Organizers"))
    admin = User.objects.create_superuser("root")
    nobody = User.objects.create_user("nick")
    cup.competition.organizers.create(user=user)

    assert [rights.may_organize(person) for person in (organizer, admin, nobody)] == [True, True, False]
    assert [rights.may_organize(person, cup) for person in (user, admin, organizer, nobody)] == [
        True,
        True,
        False,
        False,
    ]


def test_the_organizer_of_a_tournament_may_read_what_its_bots_say(user, cup):
    cup.competition.organizers.create(user=user)
    owner = User.objects.create_user("bob")
    services.start(cup)
    seat = cup.matches.first().seats.first()
    Bot.objects.update(owner=owner)
    seat.refresh_from_db()

    assert access.may_see_stderr(user, seat)
    assert access.may_see_stderr(owner, seat)
    assert not access.may_see_stderr(User.objects.create_user("carol"), seat)
