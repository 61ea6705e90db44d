"""What may be downloaded of a tournament that is over: made once, served in any part, the same each time."""

import csv
import hashlib
import io
import json
import subprocess
import zipfile
from fractions import Fraction
from itertools import cycle
from pathlib import Path

import pytest
from arro3.io import read_parquet
from django.db import transaction
from django.test import Client

from agon.contest.archive.signature import read_signers
from agon.contest.archive.verify import verify
from agon.site.archives import contents, keys, storing
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.bots.models import Bot, Submission
from agon.site.competitions.models import Competition
from agon.site.fleet import environments
from agon.site.matches import leases, results
from agon.site.matches.models import Match, Seat, Stderr
from agon.site.tournaments import reruns, running, scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament
from agon.site.tournaments.standings import current_standings
from agon.site.tournaments.states import State
from agon.site.use_cases import closing_accounts
from tests.support.factories import activate, active_bots, duel, played

from .played_cup import body, cup, get, key, play

__all__ = ["cup", "key"]

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def test_an_archive_is_checked_without_agon(cup, tmp_path):
    """With sha256sum and ssh-keygen, and the keys from the site's address."""
    storing.make(cup)
    with zipfile.ZipFile(io.BytesIO(body(get(cup)))) as packed:
        packed.extractall(tmp_path / "cup")
    (tmp_path / "signers").write_bytes(Client().get("/archives/signers").content)

    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path / "cup", check=True)
    command = [
        "ssh-keygen",
        "-Y",
        "verify",
        "-f",
        tmp_path / "signers",
        "-I",
        keys.name(),
        "-n",
        "agon-archive",
    ]
    sums = (tmp_path / "cup/SHA256SUMS").read_bytes()
    subprocess.run(
        [*command, "-s", tmp_path / "cup/SHA256SUMS.sig"], input=sums, check=True, capture_output=True
    )

    signers = read_signers((tmp_path / "signers").read_text(), "signers")
    report = verify(tmp_path / "cup", signers=signers)
    key = keys.signing_key()
    assert (report.differences, report.signature) == ((), f"signed by {keys.name()} ({key.fingerprint})")


def test_the_manifest_names_what_each_match_was_played_in(user, competition, tmp_path):
    four = activate(user, competition, ["a", "b", "c", "d"])
    cup = services.create(
        user, competition, "Cup", "rotations", 1, 100, [submission.bot for submission in four]
    )
    services.start(cup)
    docker = {"sandbox": "docker", "images": {"core": "agon-sandbox-core sha256:0123"}, "agon": "1"}
    names = [environments.store(docker), environments.store({"sandbox": "bubblewrap", "images": {}}), ""]
    assert environments.store(docker) == names[0]
    environments.store({"sandbox": "of another tournament"})
    batch = [leases.claim("w") for _ in range(3)]
    leases.finish_all(
        [results.just_ended(match, played(match), name) for match, name in zip(batch, names, strict=True)]
    )
    services.cancel(cup)

    storing.make(cup)

    (tmp_path / "cup.zip").write_bytes(body(get(cup)))
    assert verify(tmp_path / "cup.zip").differences == ()
    with zipfile.ZipFile(tmp_path / "cup.zip") as packed:
        manifest = json.loads(packed.read("manifest.json"))
    assert set(manifest["environments"]) == set(names[:2])
    assert manifest["environments"][names[0]] == docker
    assert [match.get("environment", "") for match in manifest["matches"]] == names


def test_the_manifest_names_site_versions_limits_and_every_act(cup, user):
    with transaction.atomic():
        acts.record(Verb.PAUSE, user, cup.competition, cup, reason="a power cut", details={"rounds": 1})
    storing.make(cup)
    with zipfile.ZipFile(io.BytesIO(body(get(cup)))) as packed:
        manifest = json.loads(packed.read("manifest.json"))
    assert manifest["site"] == {
        "address": "http://127.0.0.1:8000",
        "name": "127.0.0.1",
        "key": keys.signing_key().fingerprint,
        "keys": "http://127.0.0.1:8000/archives/signers",
    }
    assert "environments" not in manifest  # nothing is known of what these matches were played in
    assert manifest["settings"]["limits"]["turn_ms"] == cup.competition.info.limits.turn_ms
    assert (manifest["salt"], manifest["draw"], manifest["seeding"]) == (cup.salt, cup.draw, "placed")
    act = manifest["acts"][-1]
    assert (act["actor"], act["verb"], act["reason"], act["details"]) == (
        user.username,
        "pause",
        "a power cut",
        {"rounds": 1},
    )


def test_a_download_is_the_same_each_time_and_in_parts(cup):
    assert storing.make_next()
    assert not storing.make_next()
    answer = get(cup)
    whole = body(answer)
    digest = hashlib.sha256(whole).hexdigest()
    assert (answer.status_code, answer.headers["ETag"]) == (200, f'"{digest}"')
    assert answer.headers["Content-Length"] == str(len(whole))
    assert body(get(cup)) == whole
    assert get(cup, **{"If-None-Match": f'"other", "{digest}"'}).status_code == 304

    half = get(cup, Range="bytes=1000-", **{"If-Range": f'"{digest}"'})
    assert (half.status_code, half.headers["Content-Range"]) == (
        206,
        f"bytes 1000-{len(whole) - 1}/{len(whole)}",
    )
    assert whole[:1000] + body(half) == whole
    assert body(get(cup, Range="bytes=5-9")) == whole[5:10]
    assert body(get(cup, Range="bytes=-7")) == whole[-7:]
    assert body(get(cup, Range="bytes=5-99999999")) == whole[5:]
    for none in ("bytes=9-5", "bytes=-", "lines=1-2", "bytes=1-2,5-6", "bytes=a-b"):
        assert body(get(cup, Range=none)) == whole, none
    assert body(get(cup, Range="bytes=1-2", **{"If-Range": '"older"'})) == whole
    beyond = get(cup, Range=f"bytes={len(whole)}-")
    assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, f"bytes */{len(whole)}")
    head = Client().head(f"/tournaments/{cup.pk}/archive")
    assert (head.content, head.headers["Content-Length"]) == (b"", str(len(whole)))


def test_an_act_afterwards_makes_a_new_archive_and_the_former_file_goes(
    cup, user, django_capture_on_commit_callbacks
):
    storing.make(cup)
    former = cup.downloads.get(kind="archive")
    with transaction.atomic():
        acts.record(Verb.RESUME, user, cup.competition, cup)
    with django_capture_on_commit_callbacks(execute=True):
        assert storing.make_next()
    now = cup.downloads.get(kind="archive")
    assert now.sha256 != former.sha256
    assert not former.file.storage.exists(former.file.name)
    assert hashlib.sha256(body(get(cup))).hexdigest() == now.sha256


def test_the_archive_of_matches_that_were_run_again_many_times_is_sound(cup, user):
    match = cup.matches.get(index=0)
    for _ in range(12):
        again = reruns.begin(cup, reruns.Choice(numbers=(match.pk,)), user, "a power cut")
        play()
        reruns.apply(again, user)
        match = cup.matches.get(index=0)
    storing.make(cup)
    assert verify(Path(cup.downloads.get(kind="archive").file.path)).differences == ()


@pytest.mark.parametrize(
    ("format", "chosen", "goes_on"),
    [("single_elimination", {}, False), ("until_decided", {"budget": 30}, True)],
)
def test_the_archive_of_a_tournament_whose_winner_is_disqualified_after_the_end_is_sound(
    user, format, chosen, goes_on
):
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    bots = active_bots(user, rps, ["a", "b", "c"])
    cup = services.create(user, rps, "Cup", format, 1, 1, bots, chosen)

    turns = cycle([["b", "c"], ["c", "b"]])

    def play_to_the_end():
        while Tournament.objects.get().state != State.FINISHED:
            while (match := leases.claim("w")) is not None:
                against_a = match.seats.filter(name="a").exists()
                leases.finish(match, duel(match, ["a", "b", "c"] if against_a else next(turns)))
            scheduling.tick()
        return Match.objects.count()

    services.start(cup, user)
    number = play_to_the_end()
    if goes_on:
        Submission.objects.filter(bot=bots[1]).update(artifact_digest="1", artifact="")
        with pytest.raises(BadTournament, match="no longer kept: b"):
            running.disqualify(cup, 0, user, "it was copied")
        assert not cup.entrants.exclude(stopped="").exists()
        Submission.objects.update(artifact_digest="")
    running.disqualify(cup, 0, user, "it was copied")
    assert (play_to_the_end() > number) == goes_on  # b and c beat each other in turn
    last = current_standings(cup)[-1]
    assert (last.bot, last.disqualified) == ("a", "it was copied")
    assert goes_on == ("reopen" in cup.acts.values_list("verb", flat=True))
    storing.make(Tournament.objects.get())
    assert verify(Path(cup.downloads.get(kind="archive").file.path)).differences == ()


def test_results_are_the_same_in_each_format(cup):
    storing.make(cup)
    lines = [json.loads(line) for line in body(get(cup, "results.jsonl")).splitlines()]
    table = list(csv.DictReader(io.StringIO(body(get(cup, "results.csv")).decode())))
    parquet = [
        dict(zip(batch.schema.names, row, strict=True))
        for batch in read_parquet(io.BytesIO(body(get(cup, "results.parquet"))))
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
    ]
    assert len(lines) == cup.total * 4
    assert parquet == lines
    assert {row["bot"] for row in table} == {"'=1+1", "Sue", "Лиса", "Una"}
    assert [row | {"bot": row["bot"].lstrip("'")} for row in table] == [
        {name: str(value) for name, value in line.items()} for line in lines
    ]
    seats = cup.matches.get(index=3).seats.order_by("number")
    of_match = [line for line in lines if line["match"] == 3]
    assert [(line["bot"], line["score"], line["rank"]) for line in of_match] == [
        (seat.name, seat.score, seat.rank) for seat in seats
    ]


def test_results_have_numbers_that_spreadsheets_do_not_take_for_dates(cup):
    storing.make(cup)
    lines = [json.loads(line) for line in body(get(cup, "results.jsonl")).splitlines()]
    assert all(line["score_number"] == float(Fraction(line["score"])) for line in lines)
    assert all(line["points_number"] == float(Fraction(line["points"])) for line in lines)
    table = list(csv.DictReader(io.StringIO(body(get(cup, "results.csv")).decode())))
    assert not any("/" in row["points_number"] + row["score_number"] for row in table)
    bots = {bot.pk: bot for bot in Bot.objects.select_related("owner")}
    for line in lines:
        bot = bots[line["bot_id"]]
        assert (line["author"], line["author_id"]) == (bot.owner.username, bot.owner_id)
        assert line["tournament"] == cup.pk
        assert bot.submissions.get(pk=line["submission_id"]).digest == line["submission"]


def test_results_do_not_name_the_author_of_a_closed_account(cup):
    storing.make(cup)
    author = Bot.objects.get(name="Sue").owner
    name = author.username
    closing_accounts.close(author, author, "")
    assert storing.make_next()
    for kind in ("results.csv", "results.jsonl"):
        assert name not in body(get(cup, kind)).decode()


def test_standard_error_of_a_tournament_takes_one_query(cup, django_assert_num_queries):
    matches = cup.matches.count()
    with django_assert_num_queries(1):
        lines = [json.loads(line) for line in contents.logs(cup)]
    assert [(line["match"], line["seat"]) for line in lines] == [
        (match, seat) for match in range(matches) for seat in range(4)
    ]
    assert {line["stderr"] for line in lines} == {f"seat {seat} says hello\n" for seat in range(4)}


def test_standard_error_has_no_lines_for_seats_that_wrote_nothing(cup):
    Stderr.objects.exclude(seat__match__index=1, seat__number=2).delete()
    [line] = [json.loads(line) for line in contents.logs(cup)]
    assert line == {
        "match": 1,
        "seat": 2,
        "bot": Seat.objects.get(match__tournament=cup, match__index=1, number=2).name,
        "stderr": "seat 2 says hello\n",
    }


def test_the_page_of_a_competition_links_its_latest_archive(cup):
    page = "/c/samurai/"
    assert "latest-archive" not in Client().get(page).content.decode()
    storing.make(cup)
    assert f'href="/tournaments/{cup.pk}/archive"' in Client().get(page).content.decode()
    shown = Client().get(cup.get_absolute_url()).content.decode()
    for name in ("archive", "results.csv", "results.jsonl", "results.parquet"):
        assert f'href="/tournaments/{cup.pk}/{name}"' in shown
    assert "logs.jsonl" not in shown
