"""A setting that cannot be meant as it stands is one sentence, before anything is started."""

import os
import re
import subprocess
import sys

import pytest

from agon.site.core.setting_table import mistake
from tests.agon.supervisor.test_site import port
from tests.support.processes import ROOT

__all__ = ["port"]

SOUND = {
    "AGON_SITE_MIB": "100",
    "AGON_BOT_SECONDS": "12.5",
    "DEBUG": "off",
    "AGON_ANYONE_MAY_ORGANIZE": "true",
    "AGON_SANDBOX": "docker",
    "AGON_SANDBOX_OPENER": "/run/agon/opener",
    "AGON_CORE": "3",
    "DATABASE_URL": "postgres://agon@db/agon",
    "DATABASE_PASSWORD_FILE": "/run/secrets/p",
    "STORAGE": "",
    "STORAGE_FILE": "/run/secrets/s",
    "NOT_OURS": "x",
}


def test_what_is_meant_like_that_is_none():
    assert mistake(SOUND) is None
    assert mistake({}) is None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"AGON_FREE_MB": "1"}, "AGON_FREE_MB is no setting of Agon: AGON_FREE_MIB?"),
        ({"AGON_\u202eX": "1"}, "AGON_\u202eX is no setting of Agon"),
        ({"AGON_ZZZZZZZZZZZZZZZZZ": ""}, "AGON_ZZZZZZZZZZZZZZZZZ is no setting of Agon"),
        ({"AGON_SITE_MIB": "lots"}, "AGON_SITE_MIB: expected a number such as 65536, got 'lots'"),
        ({"AGON_SITE_MIB": "-1"}, "AGON_SITE_MIB: expected a number such as 65536, got '-1'"),
        ({"AGON_SITE_MIB": "1.5"}, "AGON_SITE_MIB: expected a number such as 65536, got '1.5'"),
        ({"AGON_SITE_MIB": ""}, "AGON_SITE_MIB: expected a number such as 65536, got ''"),
        ({"AGON_SITE_MIB": "9" * 5000}, "AGON_SITE_MIB: expected a number such as 65536, got '999"),
        ({"AGON_BOT_SECONDS": "nan"}, "AGON_BOT_SECONDS: expected a number such as 900, got 'nan'"),
        ({"DEBUG": "yess"}, "DEBUG: expected on or off, got 'yess'"),
        ({"STORAGE": "a.B"}, "STORAGE and STORAGE_FILE are both set: expected one of them"),
        ({"DATABASE_URL": ""}, "DATABASE_PASSWORD is set and DATABASE_URL is not: expected both or none"),
        ({"REDIS_PASSWORD": "x"}, "REDIS_PASSWORD is set and REDIS_URL is not: expected both or none"),
        (
            {"AGON_SANDBOX": "bubblewrap"},
            "AGON_SANDBOX_OPENER opens boxes of Docker, and AGON_SANDBOX is bubblewrap: expected docker",
        ),
    ],
)
def test_what_cannot_be_meant_like_that_is_one_sentence(changes, sentence):
    said = mistake(SOUND | changes)
    assert said is not None
    assert said.startswith(sentence)
    assert len(said) < 250


def start(command, tmp_path, **environment):
    path = os.pathsep.join([str(ROOT), str(ROOT / "platform")])
    return subprocess.run(
        [sys.executable, *command],
        env=os.environ | {"PYTHONPATH": path, "AGON_VAR": str(tmp_path)} | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "setting", "value", "says"),
    [
        (("-m", "agon", "serve"), "AGON_CANARY_SECONDS", "30", "expected 0, or at least 60; got 30"),
        (("manage.py", "status"), "AGON_AUTHOR_SECONDS", "0", "expected at least 1; got 0"),
        (("-m", "agon", "backup", "file"), "EMAIL_URL", "mail.example.org", r"expected .* smtp\+tls://.*"),
        (("manage.py", "status"), "DATABASE_URL", "db.example.org/agon", "expected .* postgres://.*"),
    ],
    ids=str,
)
def test_a_value_that_cannot_be_is_one_sentence_for_operators(command, setting, value, says, tmp_path, port):
    (tmp_path / "agon.sqlite3").touch()
    ran = start(command, tmp_path, SECRET_KEY="x", PORT=str(port), **{setting: value})
    assert ran.returncode in (1, 2)
    assert re.fullmatch(rf"agon: {setting}: {says}\n", ran.stderr), ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("-m", "agon", "serve"),
        ("-m", "agon", "backup", "file"),
        ("-m", "agon.supervisor.workers"),
        ("-m", "agon.supervisor.consumer", "worker", "w", "bulk"),
        ("-m", "agon.supervisor.consumer", "scheduler"),
        ("-m", "uvicorn", "agon.site.server:application"),
        ("manage.py", "migrate"),
    ],
    ids=" ".join,
)
def test_no_process_of_a_site_starts_with_it(command, tmp_path):
    (tmp_path / "agon.sqlite3").touch()
    ran = start(command, tmp_path, AGON_FREE_MB="1")
    assert ran.returncode in (1, 2)
    assert re.fullmatch(r"agon: AGON_FREE_MB is no setting of Agon: AGON_FREE_MIB\?\.?\n", ran.stderr)
    assert [path.name for path in tmp_path.iterdir()] == ["agon.sqlite3"]
