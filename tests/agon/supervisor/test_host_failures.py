"""What an operator reads where the database is damaged or away, or files are another account's."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from agon.supervisor.errors import StartupError
from agon.supervisor.host_failures import said_in_a_sentence
from tests.support.processes import ROOT, site_environment

from .kept_sites import home

NOWHERE = {"DATABASE_URL": "postgres://agon@127.0.0.1:1/none"}
COMMANDS = {"upgrade": ("-m", "agon", "upgrade"), "status": ("manage.py", "status")}


def says(environment, command):
    ran = subprocess.run(
        [sys.executable, *COMMANDS[command]],
        env=site_environment() | {"PYTHONPATH": f"{ROOT}:{ROOT}/platform"} | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
    return ran.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_damaged_database_is_said_with_what_to_do(command, tmp_path):
    (tmp_path / "agon.sqlite3").write_bytes(b"not what was written here" * 1000)
    said = says(home(tmp_path), command)
    assert "damaged" in said
    assert "backup" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_a_database_that_does_not_answer_is_said(command, tmp_path):
    assert "database does not answer" in says(home(tmp_path) | {"SECRET_KEY": "x"} | NOWHERE, command)


def test_files_that_another_account_has_left_are_named_with_the_command_that_mends_it(tmp_path):
    """After `sudo agon serve`, for example."""
    var = tmp_path / "our site"
    refused = PermissionError(errno.EACCES, "Permission denied", str(var / "log/web.log"))
    with pytest.raises(StartupError) as error, said_in_a_sentence(var):
        raise refused
    assert str(error.value).startswith(f"{var}/log/web.log belongs to another account")
    assert f"`chown -R ACCOUNT '{var}'`" in str(error.value)


def test_what_concerns_other_files_is_no_matter_of_the_folder(tmp_path):
    elsewhere = PermissionError(errno.EACCES, "Permission denied", str(Path("/elsewhere")))
    with pytest.raises(PermissionError), said_in_a_sentence(tmp_path):
        raise elsewhere
