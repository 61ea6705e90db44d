"""docs/guides/operate.md, by symptom: the commands about bots, people and queues do what the page says."""

import errno
import io
import re
import shlex
import sqlite3
import zipfile
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.db.migrations.recorder import MigrationRecorder

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.bots.models import Bot
from agon.site.bots.states import BotState
from agon.site.matches import stored_logs
from agon.site.use_cases import own_data
from scripts.docs import site_commands
from tests.docs.test_operate import section
from tests.support.factories import activate

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def run(line: str) -> str:
    words = shlex.split(line)
    assert words[:2] == [".venv/bin/python", "manage.py"]
    out = io.StringIO()
    call_command(*words[2:], stdout=out)
    return out.getvalue()


@pytest.fixture
def admin():
    return User.objects.create_superuser("admin")


@pytest.fixture
def ada():
    return User.objects.create_user("ada")


@pytest.fixture
def bot(ada, competition):
    [submission] = activate(ada, competition, ["Rude"])
    return submission.bot


def test_a_bot_that_must_go(admin, bot):
    [line] = section("A bot that must go")
    assert run(line.replace("stop_bot 17", f"stop_bot {bot.pk}")) == "Rude is stopped\n"
    bot.refresh_from_db()
    assert bot.state == BotState.STOPPED
    act = Act.objects.latest("pk")
    assert (act.actor, act.subject, act.reason) == (admin, "Rude", "it reads the files of others")
    with pytest.raises(CommandError):
        run(line.replace("stop_bot 17", f"stop_bot {bot.pk}"))  # it is stopped already


def test_a_bot_is_stopped_by_an_administrator_alone(ada, bot):
    [line] = section("A bot that must go")
    line = line.replace("stop_bot 17", f"stop_bot {bot.pk}").replace("--by admin", "--by ada")
    with pytest.raises(CommandError, match=r"--by: expected an administrator who may stop Rude, got ada"):
        run(line)
    bot.refresh_from_db()
    assert bot.state == BotState.ENTERED


NEEDED = {
    "close_account": ["ada", "--by", "admin", "--why", "asked"],
    "export_data": ["ada", "ada.zip"],
    "remove_second_factor": ["ada", "--why", "asked"],
    "stop_bot": ["17", "--by", "admin", "--why", "rude"],
    "store_logs": ["coup"],
}
COMMANDS = [name for name in site_commands() if name != "migrate"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_so_where_the_database_is_none_of_this_agon(command, settings):
    applied = MigrationRecorder.Migration.objects.all()
    applied.filter(app="bots").delete()
    with pytest.raises(CommandError, match=r"The database is of .*: start the site, or run `agon upgrade`"):
        call_command(command, *NEEDED.get(command, ()))

    settings.EMBEDDED = True
    applied.all().delete()
    with pytest.raises(CommandError, match=r"There is no site in .*: AGON_VAR names the folder of one"):
        call_command(command, *NEEDED.get(command, ()))

    applied.create(app="bots", name="0999_later")
    with pytest.raises(CommandError, match=r"which does not know bots.0999_later: use the later version"):
        call_command(command, *NEEDED.get(command, ()))


def test_a_database_that_stays_locked_ends_a_command_in_a_sentence(db, monkeypatch):
    def locked(*_):
        raise OperationalError("database is locked") from sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(stored_logs, "store", locked)
    with pytest.raises(CommandError, match=r"^the database does not answer; run it again later: .* locked$"):
        call_command("store_logs", "samurai")


def test_an_output_that_is_full_ends_a_command_in_a_sentence(db):
    full = Mock(write=Mock(side_effect=OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(CommandError, match=r"^a disk, or the output, is full: .* left on device$"):
        call_command("status", stdout=full)


def test_a_person_who_asks_for_their_data_or_its_deletion(admin, bot, ada, tmp_path):
    export, close = section("A person who asks for their data, or its deletion")
    export = export.replace("ada.zip", str(tmp_path / "ada.zip"))
    assert run(export).startswith(f"{tmp_path / 'ada.zip'}: ")
    assert (tmp_path / "ada.zip").stat().st_mode & 0o777 == 0o600
    assert b"Rude" in zipfile.ZipFile(tmp_path / "ada.zip").read("bots.jsonl")
    with pytest.raises(CommandError, match=r"FILE: .* cannot be made: File exists"):
        run(export)
    assert run(close) == "the account ada is closed\n"
    ada.refresh_from_db()
    assert ada.closed
    assert Act.objects.filter(actor=admin, reason="asked by mail").exists()
    assert Bot.objects.get().state == BotState.WITHDRAWN


def test_a_queue_that_stands_still(db):
    status, odd = section("A queue that stands still")
    with pytest.raises(SystemExit, match="1"):  # of a site that does not run
        run(status)
    run(odd)


def test_a_disk_that_is_full_is_looked_at_with_commands_that_change_nothing():
    assert [line.split()[0] for line in section("A disk that is full")] == ["df", "du"]


def test_a_full_disk_ends_an_export_in_a_sentence_and_leaves_no_file(admin, bot, tmp_path, monkeypatch):
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(own_data, "write", Mock(side_effect=full))
    file = tmp_path / "ada.zip"
    with pytest.raises(CommandError, match=f"^FILE: {file} cannot be written: No space left on device$"):
        call_command("export_data", "ada", str(file))
    assert not file.exists()


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["stop_bot", "999999999999999999999999", "--by", "admin", "--why", "x"], "BOT: "),
        (["stop_bot", "BOT", "--by", "nobody", "--why", "x"], "--by: "),
        (["stop_bot", "BOT", "--by", "admin", "--why", " "], "--why: "),
        (["stop_bot", "BOT", "--by", "ada", "--why", "x"], ""),  # its owner is no administrator
        (["close_account", "nobody", "--by", "admin", "--why", "x"], "NAME: "),
        (["close_account", "admin", "--by", "ada", "--why", "x"], "--by: "),
        (["close_account", "admin", "--by", "admin", "--why", "x" * 9999], "--why: "),
        (["close_account", "admin", "--by", "admin", "--why", "x"], ""),  # the only administrator
        (["export_data", "a\u202eb", "file"], "NAME: "),
        (["export_data", "ada", "/none/file"], "FILE: "),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_done(admin, bot, words, field):
    words = [str(bot.pk) if word == "BOT" else word for word in words]
    with pytest.raises(CommandError, match="^" + re.escape(field)):
        call_command(*words, stdout=io.StringIO())
    bot.refresh_from_db()
    assert bot.state == BotState.ENTERED
    assert not User.objects.exclude(closed=None).exists()
