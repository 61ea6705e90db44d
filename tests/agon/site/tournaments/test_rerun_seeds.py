"""What is played after a tournament's salt is public has seeds that nobody can compute beforehand."""

import hashlib
import io
import json
from unittest.mock import Mock
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from agon.contest.archive.verify import verify
from agon.contest.formats import ScheduledMatch
from agon.contest.secret_seeds import Seeding, Seeds
from agon.site.accounts.models import User
from agon.site.archives import storing
from agon.site.audit.models import Act
from agon.site.bots import reasons
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.tournaments import reruns, running, scheduling, services
from agon.site.tournaments.models import Rerun
from agon.site.tournaments.standings import current_standings
from agon.site.tournaments.states import State
from agon.site.use_cases import leaving_play
from games.core.record import SeatInfo
from tests.support.factories import active_bots, duel
from tests.support.reasons import said

pytestmark = pytest.mark.production
NAMES = ["a", "b", "c"]


@pytest.fixture
def boss(db):
    return User.objects.create_superuser("boss")


@pytest.fixture
def rps(db):
    return Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")


@pytest.fixture
def bots(user, rps):
    return active_bots(user, rps, NAMES)


def over(boss, rps, bots, format="round_robin", settings=None, order=NAMES):
    cup = services.create(boss, rps, "Cup", format, 1, 1, bots, settings)
    services.start(cup, boss)
    return finish(cup, order)


def finish(cup, order):
    cup.refresh_from_db()
    while cup.state == State.RUNNING:
        play(order)
        scheduling.tick()
        cup.refresh_from_db()
    return cup


def play(order):
    while (match := leases.claim("w")) is not None:
        leases.finish(match, duel(match, order))


def knockout(boss, rps, bots):
    return over(boss, rps, bots, "single_elimination", {"best_of": 1, "seeding": "order"})


def archive(cup):
    """The archive as anybody downloads it."""
    storing.make(cup)
    answer = Client().get(f"{cup.get_absolute_url()}archive")
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def manifest(data):
    return json.loads(ZipFile(io.BytesIO(data)).read("manifest.json"))


def predicted(facts):
    """Every seed that the public manifest leads to: of each seating, place, and further attempt."""
    secrets = [(facts["salt"], facts["draw"])]
    secrets += [
        (rerun_draw["salt"], rerun_draw["draw"])
        for rerun_draw in facts.get("draws", ())
        if "salt" in rerun_draw
    ]
    secrets += [
        (salt, rerun_draw["draw"]) for salt, _draw in secrets for rerun_draw in facts.get("draws", ())
    ]
    entrants = tuple(SeatInfo(entrant["name"], entrant["submission"]) for entrant in facts["entrants"])
    last = max(match["round"] for match in facts["matches"])
    seatings = {tuple(match["seats"]) for match in facts["matches"]}
    numbers = {int(match["seed"]) for match in facts["matches"]}
    for salt, draw in secrets:
        seeds = Seeds(salt, facts["seed"], Seeding.PLACED, entrants, draw)
        for round in range(last + 3):
            for seats in seatings | {tuple(reversed(seating)) for seating in seatings}:
                scheduled_matches = [ScheduledMatch(place, round, place, seats) for place in range(3)]
                for first in seeds.of_schedule(scheduled_matches):
                    numbers.update(seeds.of_attempts(first))
        for match in facts["matches"]:
            numbers.update(seeds.of_attempts(int(match["seed"])))
    return numbers


def run_again(cup, boss, **choice):
    """Begun on the organizer's page."""
    desk = Client()
    desk.force_login(boss)
    posted = {"act": "begin", "reason": "the worker was broken"} | choice
    assert desk.post(f"{cup.get_absolute_url()}rerun", posted).status_code == 302
    return cup.reruns.get(state=Rerun.State.PLAYING)


def seeds_of(rerun):
    return set(Match.objects.filter(rerun__rerun=rerun).values_list("seed", flat=True))


def is_sound(data, folder):
    (folder / "cup.zip").write_bytes(data)
    return verify(folder / "cup.zip").differences == ()


def act(cup, verb):
    return Act.objects.filter(tournament=cup, verb=verb).last()


def test_the_seeds_of_a_rerun_do_not_follow_from_what_is_public_before_it(boss, rps, bots, tmp_path):
    cup = over(boss, rps, bots)
    known = predicted(manifest(archive(cup)))

    rerun = run_again(cup, boss, entrant="2")

    assert len(seeds_of(rerun)) == 4
    assert not seeds_of(rerun) & known
    promised = act(cup, "rerun").details["commitment"]
    assert promised in Client().get(cup.get_absolute_url()).content.decode()
    while_open = archive(cup)
    assert not seeds_of(rerun) & predicted(manifest(while_open))
    assert is_sound(while_open, tmp_path)

    play(["c", "b", "a"])
    reruns.apply(rerun, boss)

    after = archive(cup)
    [draw] = manifest(after)["draws"]
    assert hashlib.sha256(draw["salt"].encode()).hexdigest() == draw["commitment"] == promised
    assert seeds_of(rerun) <= predicted(manifest(after))
    assert is_sound(after, tmp_path)
    assert draw["salt"] in Client().get(cup.get_absolute_url()).content.decode()


def test_the_new_rounds_of_a_reopened_tournament_have_seeds_of_their_own(boss, rps, bots, tmp_path):
    cup = knockout(boss, rps, bots)
    final = cup.matches.get(round=1)
    rerun = run_again(cup, boss, numbers=str(final.pk))
    play([])  # a draw
    before = archive(cup)
    reruns.apply(rerun, boss, "the first one was played on a broken host")
    cup.refresh_from_db()
    assert cup.state == State.RUNNING
    scheduling.tick()
    played_on = set(cup.matches.filter(round=2).values_list("seed", flat=True))
    assert played_on
    assert not played_on & predicted(manifest(before))
    reopened = act(cup, "reopen")
    assert (reopened.actor, reopened.reason) == (boss, "the first one was played on a broken host")
    assert reopened.details["commitment"] in Client().get(cup.get_absolute_url()).content.decode()

    finish(cup, ["b", "a"])

    after = archive(cup)
    assert [draw["why"] for draw in manifest(after)["draws"]] == ["re-run", "reopened"]
    assert [match.get("draw") for match in manifest(after)["matches"]] == [None, 1, 2, 2]
    assert is_sound(after, tmp_path)


def test_a_further_attempt_at_a_rerun_does_not_follow_from_what_is_public(boss, rps, bots, tmp_path):
    cup = over(boss, rps, bots)
    known = predicted(manifest(archive(cup)))
    rerun = run_again(cup, boss, numbers=str(cup.matches.get(index=0).pk))
    leases.fail(leases.claim("w"), said("no sandbox"))
    assert not seeds_of(rerun) & (known | predicted(manifest(archive(cup))))
    play(NAMES)
    reruns.apply(rerun, boss)
    assert is_sound(archive(cup), tmp_path)


def test_every_rerun_of_a_match_is_drawn_anew_and_stays_visible(boss, rps, bots, tmp_path):
    cup = over(boss, rps, bots)
    match = cup.matches.get(index=0)
    drawn = {match.seed}
    discarded = run_again(cup, boss, numbers=str(match.pk))
    play(NAMES)
    drawn |= seeds_of(discarded)
    reruns.discard(discarded, boss, "not what I hoped for")
    known = predicted(manifest(archive(cup)))

    for order in (["c", "b", "a"], NAMES):
        again = run_again(cup, boss, numbers=str(cup.matches.get(index=0).pk))
        assert not seeds_of(again) & known
        play(order)
        drawn |= seeds_of(again)
        reruns.apply(again, boss)
        known = predicted(manifest(archive(cup)))

    assert len(drawn) == 4
    data = archive(cup)
    facts = manifest(data)
    assert [draw["state"] for draw in facts["draws"]] == ["discarded", "applied", "applied"]
    assert facts["matches"][0]["draw"] == 3
    assert [entry["reason"] for entry in facts["acts"] if entry["verb"] == "discard"] == [
        "not what I hoped for"
    ]
    assert is_sound(data, tmp_path)
    page = Client().get(cup.get_absolute_url()).content.decode()
    assert all(draw["commitment"] in page and draw["salt"] in page for draw in facts["draws"])
    assert "not what I hoped for" in page


def test_the_result_of_a_discarded_rerun_does_not_pass_as_the_one_that_counts(boss, rps, bots, tmp_path):
    cup = over(boss, rps, bots)
    rerun = run_again(cup, boss, numbers=str(cup.matches.get(index=0).pk))
    play(NAMES)
    reruns.apply(rerun, boss)
    Rerun.objects.filter(pk=rerun.pk).update(state=Rerun.State.DISCARDED)  # as a forger would say
    (tmp_path / "cup.zip").write_bytes(archive(cup))
    differences = "\n".join(verify(tmp_path / "cup.zip").differences)
    assert "matches[0].draw: the re-run 1 is discarded, so that none of its matches counts" in differences


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("forged", "words"),
    [
        ({"salt": "00" * 32}, "draws[0].commitment: not the SHA-256 of the salt"),
        ({"draw": "00" * 32}, "matches[0].seed: expected"),
        ({"state": "open"}, "matches[0].draw: the re-run 1 is open"),
        ({"why": "reopened", "since": 1}, "matches[0].draw: the tournament was reopened at match 1"),
        ({"why": "whim"}, "draws[0].why: expected one of"),
    ],
)
def test_a_forged_draw_is_found(forged, words, boss, rps, bots, tmp_path):
    cup = over(boss, rps, bots)
    rerun = run_again(cup, boss, numbers=str(cup.matches.get(index=0).pk))
    play(NAMES)
    reruns.apply(rerun, boss)
    with ZipFile(io.BytesIO(archive(cup))) as zip:
        zip.extractall(tmp_path / "cup")
    path = tmp_path / "cup" / "manifest.json"
    facts = json.loads(path.read_text())
    facts["draws"][0] |= forged
    path.write_text(json.dumps(facts))
    assert words in "\n".join(verify(tmp_path / "cup").differences)


@pytest.mark.first(1)
@pytest.mark.parametrize("stage", ["organizers", "entrants"])
def test_the_salt_of_a_finished_tournament_is_shown_with_its_results(stage, boss, user, rps, bots):
    cup = services.create(boss, rps, "Cup", "round_robin", 1, 1, bots, starts=services.Start(release=stage))
    services.start(cup)
    finish(cup, NAMES)
    rerun = run_again(cup, boss, numbers=str(cup.matches.get(index=0).pk))
    play(NAMES)
    reruns.apply(rerun, boss)
    salts = [cup.salt, cup.draws.get().salt]
    entrant, staff = Client(), Client()
    entrant.force_login(user)
    watching = User.objects.create_user("sam", is_staff=True)
    watching.user_permissions.add(Permission.objects.get(codename="view_tournament"))
    staff.force_login(watching)
    address = cup.get_absolute_url()

    def shown(client, address):
        body = client.get(address).content.decode()
        return [salt in body for salt in salts]

    assert shown(Client(), address) == shown(staff, address) == [False, False]
    assert shown(staff, f"/admin/tournaments/tournament/{cup.pk}/change/") == [False, False]
    assert shown(entrant, address) == [stage == "entrants"] * 2
    running.release(cup, "public", boss)
    assert shown(Client(), address) == [True, True]


@pytest.mark.parametrize("deleted", [False, True])
def test_a_bot_that_was_stopped_after_the_end_is_disqualified_when_the_tournament_is_reopened(
    boss, rps, bots, deleted, tmp_path
):
    cup = knockout(boss, rps, bots)
    final = cup.matches.get(round=1)
    rerun = run_again(cup, boss, numbers=str(final.pk))
    play([])  # a draw
    cheat = Bot.objects.get(name="a")
    if deleted:
        leaving_play.delete(cheat, boss)
    leaving_play.stop(cheat, boss, reasons.stopped("it is another's program"))
    reruns.apply(rerun, boss, "the first one was played on a broken host")

    finish(cup, ["a", "b"])

    assert running.winners(cup) == ["b"]
    last = current_standings(cup)[-1]
    assert (last.bot, last.disqualified) == ("a", "it is another's program")
    assert act(cup, "stop").reason == "it is another's program"
    assert not cup.matches.filter(round=2).exists()
    assert is_sound(archive(cup), tmp_path)


def test_the_places_of_a_reopened_tournament_are_revealed_anew(boss, rps, bots):
    cup = knockout(boss, rps, bots)
    running.release(cup, cup.Release.ORGANIZERS, boss)
    running.reveal(cup, boss, hidden=0)
    assert [row.bot for row in running.revealed_rows(cup)] == ["a", "b", "c"]
    rerun = run_again(cup, boss, numbers=str(cup.matches.get(round=1).pk))
    play([])  # a draw
    reruns.apply(rerun, boss)

    cup = finish(cup, ["b", "a"])

    assert running.revealed_rows(cup) == []
    running.reveal(cup, boss)
    assert [row.bot for row in running.revealed_rows(cup)] == ["c"]


def test_a_tournament_that_was_paused_at_its_end_plays_on_if_its_final_becomes_a_draw(
    boss, rps, bots, monkeypatch
):
    """A process died when the final was over, and before the tournament was."""
    cup = services.create(
        boss, rps, "Cup", "single_elimination", 1, 1, bots, {"best_of": 1, "seeding": "order"}
    )
    services.start(cup, boss)
    with monkeypatch.context() as dying:
        dying.setattr(scheduling, "_finish_if_over", Mock(side_effect=[False, SystemExit]))
        with pytest.raises(SystemExit):
            finish(cup, NAMES)
    assert cup.matches.filter(round=1, state="finished").exists()
    services.pause(cup, boss)
    rerun = run_again(cup, boss, numbers=str(cup.matches.get(round=1).pk))
    play([])  # a draw
    reruns.apply(rerun, boss)
    services.resume(cup, boss)

    finish(cup, ["b", "a"])

    assert running.winners(cup) == ["b"]
