"""Downloads of a tournament after what changes them: sources opened or closed, what was erased."""

import io
import json
import zipfile

import pytest
from django.core.files.base import ContentFile
from django.db import transaction

from agon.site.accounts.models import User
from agon.site.archives import storing
from agon.site.archives.models import Download
from agon.site.audit import acts
from agon.site.tournaments import running, services
from agon.site.tournaments.models import Tournament
from agon.site.use_cases import closing_accounts, leaving_play

from .played_cup import body, cup, get, key

__all__ = ["cup", "key"]

pytestmark = [pytest.mark.django_db, pytest.mark.production]


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


def test_the_program_of_a_deleted_bot_is_no_longer_among_the_sources(
    cup, user, django_capture_on_commit_callbacks
):
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


def test_the_sources_are_gone_with_the_bot_even_if_the_process_dies_before_it_erases_anything(cup, user):
    for entrant in cup.entrants.select_related("submission"):
        entrant.submission.source.save("", ContentFile(f"# {entrant.name}".encode()))
        entrant.submission.save()
    open_as_before(cup, user)
    storing.make(cup)
    leaving_play.delete(cup.entrants.get(name="Sue").bot, user)  # what follows the commit is never run
    assert get(cup, "sources").status_code == 503


def test_the_archive_does_not_name_an_organizer_who_has_closed_the_account(cup, user):
    def organizers():
        with zipfile.ZipFile(io.BytesIO(body(get(cup)))) as packed:
            return {act["actor"] for act in json.loads(packed.read("manifest.json"))["acts"]}

    storing.make(cup)
    assert organizers() == {"", "ada"}
    closing_accounts.close(user, User.objects.create_superuser("boss"), "asked for it")
    assert storing.make_next()
    assert organizers() == {"", "closed account"}


@pytest.mark.parametrize("is_first", [True, False])
def test_an_account_that_is_closed_while_the_archive_is_made_is_not_named_by_it(
    cup, user, monkeypatch, is_first
):
    boss = User.objects.create_superuser("boss")
    write = storing.services.write_tournament

    def meanwhile(file, tournament):
        write(file, tournament)
        closing_accounts.close(user, boss, "asked for it")

    if not is_first:
        storing.make(cup)
        running.set_prize(cup, "Honor", user)
    with monkeypatch.context() as patched:
        patched.setattr(storing.services, "write_tournament", meanwhile)
        assert storing.make_next()
    assert storing.make_next()
    with zipfile.ZipFile(io.BytesIO(body(get(cup)))) as packed:
        assert b'"ada"' not in packed.read("manifest.json")
    with cup.downloads.get(kind="jsonl").file.open() as lines:
        authors = {json.loads(line)["author"] for line in lines}
    assert authors == {""}
    assert not storing.due().exists()


def test_the_program_of_a_bot_that_is_deleted_while_the_sources_are_packed_is_not_among_them(
    cup, user, monkeypatch, django_capture_on_commit_callbacks
):
    for entrant in cup.entrants.select_related("submission"):
        entrant.submission.source.save("", ContentFile(f"# {entrant.name}".encode()))
        entrant.submission.save()
    open_as_before(cup, user)
    write = storing.sources.write_zip

    def meanwhile(file, tournament):
        write(file, tournament)
        with django_capture_on_commit_callbacks(execute=True):
            leaving_play.delete(cup.entrants.get(name="Sue").bot, user)

    with monkeypatch.context() as patched:
        patched.setattr(storing.sources, "write_zip", meanwhile)
        assert storing.make_next()
    assert get(cup, "sources").status_code == 503
    assert storing.make_next()
    with zipfile.ZipFile(io.BytesIO(body(get(cup, "sources")))) as packed:
        assert packed.namelist() == ["0-_1_1/bot.py", "2-Лиса/bot.py", "3-Una/bot.py"]


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
