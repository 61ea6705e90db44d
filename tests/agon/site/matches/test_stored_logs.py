"""A game may change: the matches of its old version are still shown where their logs were stored before."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from agon.site.matches import leases, queueing, records
from agon.site.matches.models import Match
from games.core.record import BadRecord
from tests.support.factories import activate, played


@pytest.fixture
def match(user, competition):
    four = activate(user, competition, ["A", "B", "C", "D"])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four, seed=7)
    claimed = leases.claim("w")
    assert leases.finish(claimed, played(claimed, {(2, 1): ("timeout", "no answer within 1000 ms")}))
    return Match.objects.get(pk=claimed.pk)


@pytest.fixture
def new_version(monkeypatch):
    """Call it, and Samurai has a new version."""

    def change():
        from games.core import replay
        from games.core.manifest import load

        info = load("samurai")
        changed = type(info)(**{**vars(info), "version": "2"})
        monkeypatch.setattr(replay, "load", lambda slug: changed)

    return change


def test_without_a_stored_log_the_page_says_that_the_game_has_changed_and_has_the_record(match, new_version):
    new_version()
    with pytest.raises(BadRecord, match="this was played under version '1'"):
        records.log(match)
    page = Client().get(match.get_absolute_url())
    assert page.status_code == 200
    assert "most likely because its game has changed since" in page.content.decode()
    assert f'<a href="{match.get_absolute_url()}record.json">the record</a>' in page.content.decode()
    assert Client().get(f"{match.get_absolute_url()}record.json").status_code == 200


def test_with_a_stored_log_the_page_shows_the_match_as_before(match, new_version, capsys):
    address = match.get_absolute_url()
    before = [Client().get(f"{address}{part}").content for part in ("log.json", "record.json")]
    call_command("store_logs", "samurai")
    assert capsys.readouterr().out == "logs stored: 1\n"
    new_version()
    after = [Client().get(f"{address}{part}").content for part in ("log.json", "record.json")]
    assert before == after
    page = Client().get(address).content.decode()
    assert "turn 3, day: no answer within 1000 ms" in page
    assert "no longer in storage" not in page


def test_logs_are_stored_once_and_what_is_damaged_is_reported(match, capsys):
    call_command("store_logs", "samurai")
    call_command("store_logs", "samurai")
    assert capsys.readouterr().out == "logs stored: 1\nlogs stored: 0\n"
    match.recording.record, match.recording.log = b"", b""
    match.recording.save()
    call_command("store_logs", "samurai")
    told = capsys.readouterr()
    assert told.out == "logs stored: 0\n"
    assert told.err.startswith(f"match {match.pk}: the record of match {match.pk} is damaged")


def test_a_game_that_does_not_exist_is_refused(db):
    with pytest.raises(CommandError, match="there is no game 'chess'"):
        call_command("store_logs", "chess")
