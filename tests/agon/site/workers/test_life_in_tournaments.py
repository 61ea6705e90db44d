"""Bots that are stopped, renamed, withdrawn or deleted while, and after, they play in tournaments."""

import io
import json
import zipfile

import pytest

from agon.contest.archive import verify
from agon.site.accounts.models import User
from agon.site.archives import services as archives
from agon.site.bots import reasons
from agon.site.bots.models import Bot
from agon.site.core.db.leases import ATTEMPTS
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.matches.states import State as MatchState
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament
from agon.site.tournaments.standings import current_standings, recent_standings
from agon.site.tournaments.states import State
from agon.site.use_cases import leaving_play
from tests.support.factories import active_bots, played, submit
from tests.support.reasons import said

pytestmark = pytest.mark.production

WHY = reasons.stopped("It makes its matches void.")


@pytest.fixture
def admin(db):
    return User.objects.create_superuser("orga")


@pytest.fixture
def bots(user, competition):
    return active_bots(user, competition, ["a", "b", "c", "d", "e"])


@pytest.fixture
def cup(user, competition, bots):
    """20 matches, in 16 of which each bot plays: each of 5 groups of four, rotated through the seats."""
    cup = services.create(user, competition, "Cup", "rotations", 1, 100, bots)
    services.start(cup)
    return cup


def play(count=10_000):
    while count and (match := leases.claim("w")) is not None:
        leases.finish(match, played(match))
        count -= 1


def fail(match):
    Match.objects.filter(pk=match.pk).update(attempt=ATTEMPTS - 1)
    leases.fail(leases.claim("w"), said("the box was lost"))


def table(cup):
    return {row.bot: row for row in current_standings(Tournament.objects.get(pk=cup.pk))}


def state(cup):
    return Tournament.objects.get(pk=cup.pk).state


def test_a_stopped_bot_is_last_with_the_reason_and_counts_for_nobody(cup, bots, admin):
    play(8)
    recent_standings(cup)
    leaving_play.stop(bots[0], admin, WHY)
    play()

    assert recent_standings(Tournament.objects.get(pk=cup.pk))[-1].bot == "a"
    rows = table(cup)
    assert (rows["a"].rank, rows["a"].played, rows["a"].points) == (5, 0, 0)
    assert rows["a"].disqualified == "It makes its matches void."
    assert {rows[name].played for name in "bcde"} == {4}  # the one group without it


def test_its_void_matches_make_it_look_no_better(cup, bots, admin):
    first = cup.matches.filter(seats__submission__bot=bots[0]).order_by("index").first()
    fail(first)
    play(10)
    before = table(cup)["a"]
    leaving_play.stop(bots[0], admin, WHY)
    after = table(cup)["a"]
    assert (before.disqualified, after.disqualified != "") == ("", True)
    assert after.rank == 5


def test_what_it_had_still_to_play_is_withdrawn_and_the_tournament_ends(
    cup, bots, admin, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        leaving_play.stop(bots[0], admin, WHY)
    assert cup.matches.filter(state=MatchState.QUEUED).count() == 4
    assert cup.matches.filter(state=MatchState.WITHDRAWN).count() == 16
    with django_capture_on_commit_callbacks(execute=True):
        play()
    assert state(cup) == State.FINISHED


def test_it_ends_at_once_where_nothing_else_is_left_to_play(
    cup, bots, admin, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        for bot in bots:
            leaving_play.stop(bot, admin, WHY)
    assert state(cup) == State.FINISHED


def test_a_running_match_of_a_stopped_bot_is_finished_or_withdrawn(cup, bots, admin):
    first, second = leases.claim("v"), leases.claim("w")
    for bot in bots[:2]:
        leaving_play.stop(bot, admin, WHY)
    assert leases.finish(first, played(first))
    assert leases.fail(second, said("the disk is full"))
    assert Match.objects.get(pk=second.pk).state == MatchState.WITHDRAWN
    assert all(row.played == 0 for row in table(cup).values())


def test_let_play_again_it_plays_the_rest(cup, bots, admin, django_capture_on_commit_callbacks):
    play(6)
    leaving_play.stop(bots[0], admin, WHY)
    leaving_play.stop(bots[1], admin, WHY)
    leaving_play.release(bots[0], admin)
    assert not cup.matches.filter(state=MatchState.WITHDRAWN).exclude(seats__submission__bot=bots[1]).exists()
    leaving_play.release(bots[1], admin)
    with django_capture_on_commit_callbacks(execute=True):
        play()
    assert state(cup) == State.FINISHED
    assert {(row.played, row.disqualified) for row in table(cup).values()} == {(16, "")}


def test_while_paused_nothing_of_it_is_played_before_it_goes_on(cup, bots, admin):
    services.pause(cup)
    leaving_play.stop(bots[0], admin, WHY)
    assert cup.matches.filter(state=MatchState.WITHDRAWN).count() == 16
    leaving_play.release(bots[0], admin)
    assert set(cup.matches.values_list("state", flat=True)) == {MatchState.HELD}
    leaving_play.stop(bots[0], admin, WHY)
    services.resume(cup)
    assert cup.matches.filter(state=MatchState.QUEUED).count() == 4
    scheduling.tick()
    assert cup.matches.filter(state=MatchState.WITHDRAWN).count() == 16


def test_matches_that_are_scheduled_later_are_withdrawn_too(user, competition, bots, admin, monkeypatch):
    monkeypatch.setattr(scheduling, "CHUNK", 4)
    monkeypatch.setattr(scheduling, "LARGEST_CHUNK", 4)
    cup = services.create(user, competition, "Cup", "rotations", 1, 100, bots)
    services.start(cup)
    leaving_play.stop(bots[0], admin, WHY)
    for _ in range(10):
        play()
        scheduling.tick()
    assert state(cup) == State.FINISHED
    assert cup.matches.filter(state=MatchState.FINISHED).count() == 4
    assert not cup.matches.filter(state=MatchState.FINISHED, seats__submission__bot=bots[0]).exists()


def test_a_stopped_bot_enters_no_tournament_and_a_finished_one_is_left_as_it_was(
    user, competition, cup, bots, admin, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        play()
    draft = services.create(user, competition, "Next", "rotations", 1, 1, bots)
    leaving_play.stop(bots[0], admin, WHY)
    with pytest.raises(BadTournament, match="a has no active submission"):
        services.start(draft)
    assert table(cup)["a"].disqualified == ""


@pytest.mark.parametrize("leave", [leaving_play.withdraw, leaving_play.delete])
def test_who_is_withdrawn_or_deleted_plays_on(cup, bots, user, leave):
    leave(bots[0], user)
    play()
    assert {(row.played, row.disqualified) for row in table(cup).values()} == {(16, "")}


def test_a_deleted_bot_can_still_be_put_out(cup, bots, user, admin):
    leaving_play.delete(bots[0], user)
    leaving_play.stop(bots[0], admin, WHY)
    assert table(cup)["a"].disqualified == "It makes its matches void."
    assert Bot.objects.get(pk=bots[0].pk).state == "deleted"


# --- archives ---------------------------------------------------------------------------------------------


def verified(pieces, folder):
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as archive:
        archive.extractall(folder)
    report = verify.verify(folder)
    assert report.differences == ()
    return report


def renamed(bots, user, admin):
    leaving_play.rename(bots[0], user, "Rita")


def swapped(bots, user, admin):
    """Each has the name under which the other has played."""
    for bot, name in ((bots[0], "x"), (bots[1], "a"), (bots[0], "b")):
        leaving_play.rename(bot, user, name)


def deleted(bots, user, admin):
    leaving_play.delete(bots[0], user)
    assert submit(user, bots[0].competition, "a").bot.pk != bots[0].pk


def withdrawn(bots, user, admin):
    leaving_play.withdraw(bots[0], user)


CHANGES = [renamed, swapped, deleted, withdrawn]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("before", [0, 7, 20])
def test_an_archive_stays_sound_whenever_its_bots_change(cup, bots, user, admin, change, before, tmp_path):
    play(before)
    running = leases.claim("w")
    change(bots, user, admin)
    if running is not None:
        leases.finish(running, played(running))
    play()
    report = verified(archives.of_tournament(Tournament.objects.get(pk=cup.pk)), tmp_path / "cup")
    assert report.matches == 20
    assert report.notes[-1].startswith("compare with what was published")
    assert all("match" not in note for note in report.notes[:-1])
    lines = (tmp_path / "cup/standings.csv").read_text().splitlines()
    assert {line.split(",")[1] for line in lines[1:]} == set("abcde")


@pytest.mark.parametrize("change", CHANGES)
def test_the_archive_of_a_match_stays_sound_too(cup, bots, user, admin, change, tmp_path):
    play(1)
    change(bots, user, admin)
    match = cup.matches.get(state=MatchState.FINISHED)
    verified([archives.of_match(match, lambda seat: True)], tmp_path / "match")


def test_an_archive_says_who_was_put_out_and_why(cup, bots, admin, tmp_path):
    play(8)
    leaving_play.stop(bots[0], admin, WHY)
    play()
    report = verified(archives.of_tournament(Tournament.objects.get(pk=cup.pk)), tmp_path / "cup")
    assert "a was stopped by the site, which no record shows: It makes its matches void." in report.notes
    last = (tmp_path / "cup/standings.csv").read_text().splitlines()[-1]
    assert last == "5,a,0,0,0,0,0,It makes its matches void."


@pytest.mark.parametrize(
    "stopped",
    [
        "a",
        [{"entrant": 9, "reason": "x"}],
        [{"entrant": 0, "reason": ""}],
        [{"entrant": 0}],
        [{"entrant": 1, "reason": "x"}, {"entrant": 0, "reason": "x"}],
    ],
)
def test_a_manifest_with_a_wrong_stop_is_refused(cup, bots, tmp_path, stopped):
    play()
    folder = tmp_path / "cup"
    verified(archives.of_tournament(cup), folder)
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"stopped": stopped}))
    [difference] = verify.verify(folder).differences
    assert difference.startswith("manifest.json: stopped")


def test_a_stop_that_was_written_into_a_manifest_later_is_found(cup, bots, tmp_path):
    play()
    folder = tmp_path / "cup"
    verified(archives.of_tournament(cup), folder)
    path = folder / "manifest.json"
    stopped = [{"entrant": 0, "reason": "x"}]
    path.write_text(json.dumps(json.loads(path.read_text()) | {"stopped": stopped}))
    assert "standings.csv: not what the records lead to" in verify.verify(folder).differences
