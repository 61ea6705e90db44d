"""What may be downloaded of a tournament that is over: made once, served in any part, the same each time."""

import csv
import hashlib
import io
import json
import subprocess
import zipfile
from fractions import Fraction
from pathlib import Path

import pytest
from arro3.io import read_parquet
from django.core.files.base import ContentFile
from django.db import transaction
from django.test import Client

from agon.contest.archive.signature import new_key, read_signers
from agon.contest.archive.verify import verify
from agon.site.accounts.models import User
from agon.site.archives import contents, keys, storing
from agon.site.archives.models import Download
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.bots.models import Bot
from agon.site.fleet import environments
from agon.site.matches import leases, results
from agon.site.matches.models import Seat, Stderr
from agon.site.tournaments import reruns, running, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.scheduling import tick
from agon.site.use_cases import closing_accounts, leaving_play
from tests.support.factories import activate, played

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture(autouse=True)
def key(settings):
    """A production site has none of its own."""
    settings.ARCHIVE_KEY = new_key()


def play(most=99):
    for _ in range(most):
        match = leases.claim("w")
        if match is None:
            break
        leases.finish(match, played(match))
    tick()


@pytest.fixture
def cup(user, competition):
    """A tournament that was played to its end."""
    bots = [each.bot for each in activate(user, competition, ["=1+1", "Sue", "Лиса", "Una"])]
    cup = services.create(user, competition, "Cup", "rotations", 1, 7, bots)
    services.start(cup)
    play()
    cup.refresh_from_db()
    assert cup.state == "finished"
    return cup


def get(cup, name="archive", **headers):
    return Client().get(f"/tournaments/{cup.pk}/{name}", headers=headers)


def body(answer):
    return b"".join(answer.streaming_content)


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
    cup = services.create(user, competition, "Cup", "rotations", 1, 100, [each.bot for each in four])
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


def test_sources_are_there_when_the_organizer_opens_them(cup):
    for entrant in cup.entrants.select_related("submission"):
        entrant.submission.source.save("", ContentFile(f"# {entrant.name}".encode()))
        entrant.submission.save()
    storing.make(cup)
    assert get(cup, "sources").status_code == 404
    cup.sources_open = True
    cup.save()
    storing.make(cup)
    with zipfile.ZipFile(io.BytesIO(body(get(cup, "sources")))) as packed:
        assert {name: packed.read(name).decode() for name in packed.namelist()} == {
            "0-_1_1/bot.py": "# =1+1",
            "1-Sue/bot.py": "# Sue",
            "2-Лиса/bot.py": "# Лиса",
            "3-Una/bot.py": "# Una",
        }
    with zipfile.ZipFile(io.BytesIO(body(get(cup)))) as packed:
        [log] = [name for name in packed.namelist() if name.startswith("matches/0/0-")]
        assert packed.read(log) == b"seat 0 says hello\n"
    cup.sources_open = False
    cup.save()
    storing.make(cup)
    assert get(cup, "sources").status_code == 404
    assert not Download.objects.filter(kind="sources").exists()


def open_as_before(cup, user):
    """As organizers could once do at any time."""
    with transaction.atomic():
        Tournament.objects.filter(pk=cup.pk).update(sources_open=True)
        acts.record("sources open", user, cup.competition, cup)
    cup.refresh_from_db()


def test_an_erased_program_is_no_longer_among_the_sources(cup, user, django_capture_on_commit_callbacks):
    for entrant in cup.entrants.select_related("submission"):
        entrant.submission.source.save("", ContentFile(f"# {entrant.name}".encode()))
        entrant.submission.save()
    open_as_before(cup, user)
    storing.make(cup)
    file = cup.downloads.get(kind="sources").file
    with django_capture_on_commit_callbacks(execute=True):
        leaving_play.delete(cup.entrants.get(name="Sue").bot, user)
    assert get(cup, "sources").status_code == 503
    assert not file.storage.exists(file.name)
    assert storing.make_next()
    with zipfile.ZipFile(io.BytesIO(body(get(cup, "sources")))) as packed:
        assert packed.namelist() == ["0-_1_1/bot.py", "2-Лиса/bot.py", "3-Una/bot.py"]
    assert not storing.due().exists()


def test_the_archive_does_not_name_an_organizer_who_has_closed_the_account(cup, user):
    def organizers():
        with zipfile.ZipFile(io.BytesIO(body(get(cup)))) as packed:
            return {act["actor"] for act in json.loads(packed.read("manifest.json"))["acts"]}

    storing.make(cup)
    assert organizers() == {"", "ada"}
    closing_accounts.close(user, User.objects.create_superuser("boss"), "asked for it")
    assert storing.make_next()
    assert organizers() == {"", "closed account"}


def stderr_in_archive(cup):
    with zipfile.ZipFile(io.BytesIO(body(get(cup)))) as packed:
        return b"".join(packed.read(name) for name in packed.namelist() if name.endswith(".stderr"))


def test_no_standard_error_is_served_from_the_moment_the_sources_are_closed(cup, user):
    open_as_before(cup, user)
    storing.make(cup)
    assert b"says hello" in stderr_in_archive(cup)
    etag = get(cup).headers["ETag"]
    running.close_sources(cup, user)
    for headers in ({}, {"Range": "bytes=0-99"}, {"If-None-Match": etag}):
        assert get(cup, **headers).status_code == 503
    assert storing.make_next()
    assert stderr_in_archive(cup) == b""
    assert get(cup, Range="bytes=0-99", **{"If-Range": etag}).status_code == 200


def test_sources_closed_when_a_worker_is_about_to_make_the_archive_are_not_in_it(cup, user):
    open_as_before(cup, user)
    [about_to] = storing.due()
    running.close_sources(cup, user)
    storing.make(about_to)
    assert stderr_in_archive(cup) == b""
    assert not Download.objects.filter(kind="sources").exists()


@pytest.mark.parametrize("closes", [True, False])
def test_a_slow_worker_replaces_nothing_that_another_made_after_a_further_act(closes, cup, user, monkeypatch):
    """The other one begins and ends while the first one writes the tables, before the sources."""

    def change(cup, opens):
        if opens:
            open_as_before(cup, user)
        else:
            running.close_sources(cup, user)

    change(cup, closes)
    write = storing.tables.write_parquet

    def meanwhile(file, rows):
        monkeypatch.setattr(storing.tables, "write_parquet", write)
        again = Tournament.objects.get(pk=cup.pk)
        change(again, not closes)
        storing.make(again)
        write(file, rows)

    monkeypatch.setattr(storing.tables, "write_parquet", meanwhile)
    storing.make(Tournament.objects.get(pk=cup.pk))
    assert not storing.due().exists()
    assert (stderr_in_archive(cup) == b"") == closes
    assert Download.objects.filter(kind="sources").exists() != closes
    assert set(cup.downloads.values_list("last_act", flat=True)) == {cup.acts.last().pk}


def test_what_an_act_overtook_while_it_was_made_is_made_again(cup, user, monkeypatch):
    """New results may have been applied when a part of the old ones had been read."""
    write = storing.services.write_tournament

    def meanwhile(file, tournament):
        write(file, tournament)
        running.set_prize(Tournament.objects.get(pk=cup.pk), "Honor", user)

    with monkeypatch.context() as patched:
        patched.setattr(storing.services, "write_tournament", meanwhile)
        storing.make(cup)
    assert not cup.downloads.filter(kind="archive").exists()
    assert storing.make_next()
    assert set(cup.downloads.values_list("last_act", flat=True)) == {cup.acts.last().pk}


def test_a_tournament_whose_archive_cannot_be_made_keeps_no_other_from_its_own(cup, user, monkeypatch):
    bots = [entrant.bot for entrant in cup.entrants.select_related("bot")]
    broken = services.create(user, cup.competition, "Broken", "rotations", 1, 7, bots)
    services.start(broken)
    services.cancel(broken)
    make = storing.make

    def fail(tournament):
        if tournament == broken:
            raise OSError("the storage is away")
        make(tournament)

    monkeypatch.setattr(storing, "make", fail)
    assert storing.make_next()
    assert not storing.make_next()
    assert list(Download.objects.order_by().values_list("tournament", flat=True).distinct()) == [cup.pk]


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
