"""The log: one line an event, without secrets, that nobody can forge; what is refused or fails has one."""

import json
import logging
import os
import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from agon.site.core.logs import JsonFormatter, TextFormatter
from agon.site.core.setting_values import one_of
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.supervisor.supervisor import say
from games.core.reason import Reason
from tests.support.factories import activate
from tests.support.processes import ROOT

EVIL = "a\nWARNING forged\r\x1b[2J\x00\u202e\ud800 b"


def record(text, *args, **extra):
    log_record = logging.LogRecord("agon.x", logging.WARNING, "x.py", 1, text, args, None)
    vars(log_record).update(extra)
    return log_record


def test_what_a_bot_wrote_stays_on_its_line(settings):
    for formatter in (TextFormatter(), JsonFormatter()):
        line = formatter.format(record("bot said %s", EVIL, worker=EVIL))
        assert line.isprintable(), ascii(line)
        assert line.count("forged") in (1, 2)


def test_json_has_the_facts_as_fields():
    data = json.loads(JsonFormatter().format(record("match %s", 7, match=7, worker="m:core0:1", other="no")))
    assert data["message"] == "match 7"
    assert (data["match"], data["worker"], data["level"], data["logger"]) == (
        7,
        "m:core0:1",
        "WARNING",
        "agon.x",
    )
    assert "other" not in data
    assert data["time"].endswith("+00:00")


def test_no_server_logs_the_addresses_that_were_asked_for():
    """Some have secrets in them: a feed's, that for a new password."""
    serve = "import uvicorn; uvicorn.Config('agon.site.asgi:application', access_log=False).load()"
    look = "; import logging; print(logging.getLogger('uvicorn.access').hasHandlers())"
    path = os.pathsep.join([str(ROOT), str(ROOT / "platform")])
    ran = subprocess.run(
        [sys.executable, "-c", serve + look],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert ran.stdout == "False\n", ran.stderr


def test_a_traceback_is_a_field_or_indented(settings):
    try:
        raise OSError(f"cannot reach redis://:hunter2hunter2@host {settings.SECRET_KEY}\nx")
    except OSError:
        failed = record("it failed")
        failed.exc_info = sys.exc_info()
    line = JsonFormatter().format(failed)
    assert "\n" not in line
    assert "OSError" in json.loads(line)["traceback"]
    first, *rest = TextFormatter().format(failed).split("\n")
    assert first.endswith("WARNING agon.x: it failed")
    assert rest
    assert all(continuation.startswith("    ") for continuation in rest)
    for text in (line, *rest):
        assert "hunter2hunter2" not in text
        assert settings.SECRET_KEY not in text


@pytest.mark.parametrize("text", ["", "yaml", "JSON", "\0"])
def test_a_form_that_is_none_is_named(text):
    with pytest.raises(ImproperlyConfigured, match="AGON_LOG: expected one of text, json; got"):
        one_of("AGON_LOG", text, ["text", "json"])


@pytest.mark.first(1)
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_settings_choose_the_form_and_the_level(form, tmp_path):
    code = (
        "import logging, django; django.setup()\n"
        "logging.getLogger('a').info('unheard'); logging.getLogger('uvicorn.error').error('he\\nard')"
    )
    own = {"AGON_LOG": form, "AGON_LOG_LEVEL": "ERROR", "AGON_VAR": str(tmp_path)}
    environment = os.environ | own | {"DJANGO_SETTINGS_MODULE": "agon.site.settings"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    [line] = run.stderr.splitlines()
    if form == "json":
        assert json.loads(line)["message"] == "he\\nard"
    else:
        assert line.endswith("ERROR uvicorn.error: he\\nard")


def test_a_mail_server_that_takes_no_password_costs_no_line(tmp_path):
    script = "import django, logging; django.setup(); logging.getLogger('agon').warning('a line')"
    environment = os.environ | {"AGON_VAR": str(tmp_path), "EMAIL_URL": "smtp://mail.example.org:25"}
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stderr.endswith("WARNING agon: a line\n")
    assert ran.stderr.count("\n") == 1


def test_lines_of_the_supervisor_have_a_time(capsys, monkeypatch):
    say("worker-1 ended")
    assert capsys.readouterr().err.endswith(" agon: worker-1 ended\n")
    monkeypatch.setenv("AGON_LOG", "json")
    say("worker-1 ended")
    data = json.loads(capsys.readouterr().err)
    assert (data["message"], data["logger"]) == ("worker-1 ended", "agon.supervisor")
    assert "T" in data["time"]


@pytest.mark.django_db
class TestSite:
    def lines(self, caplog):
        return [known for known in caplog.records if known.levelno >= logging.INFO]

    def test_a_failed_sign_in_has_a_line_without_the_password(self, client, user, caplog):
        caplog.set_level(logging.INFO)
        sent = {"login": "mal\u202elory" + "x" * 60, "password": "a secret guess"}
        assert client.post("/accounts/login/", sent).status_code == 200
        [line] = [entry for entry in self.lines(caplog) if "failed sign-in" in entry.getMessage()]
        said = line.getMessage()
        assert said.startswith("failed sign-in as 'mal\\u202eloryxxxx")
        assert said.endswith("from 127.0.0.1: no such name, or another password")
        assert len(said) < 130
        assert "a secret guess" not in caplog.text
        assert line.address == "127.0.0.1"

    def test_lines_of_requests_hold_routes_and_no_secret_of_an_address(self, caplog):
        caplog.set_level(logging.INFO)
        browser = Client(enforce_csrf_checks=True)
        browser.get("/teams/join/0123456789secret/?x=0123456789secret")
        browser.get("/nowhere/0123456789secret")
        browser.post("/teams/join/0123456789secret/", {"a": "0123456789secret"})
        said = [line.getMessage() for line in self.lines(caplog)]
        assert "Not Found: teams/join/<slug:secret>/" in said
        assert "Not Found: no route" in said
        assert "Forbidden (CSRF token missing.): teams/join/<slug:secret>/" in said
        assert "0123456789secret" not in caplog.text

    def test_too_many_attempts_have_a_line(self, client, user, caplog):
        caplog.set_level(logging.INFO)
        for _ in range(12):
            client.post("/accounts/login/", {"login": user.username, "password": "wrong"})
        assert "too many attempts" in caplog.text

    def test_a_void_match_and_a_rejected_submission_have_a_line_with_the_reason(
        self, user, competition, caplog, django_capture_on_commit_callbacks
    ):
        caplog.set_level(logging.INFO)
        seats = activate(user, competition, ["a", "b", "c", "d"])
        match = queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, seats)
        with django_capture_on_commit_callbacks(execute=True):
            for _ in range(3):
                leases.fail(leases.claim("m:core0:1"), Reason("text", text="the disk\nbroke"))
        [line] = [entry for entry in self.lines(caplog) if "is void" in entry.getMessage()]
        assert line.getMessage().startswith(f"match {match.pk} is void: ")
        assert (line.match, line.attempt) == (match.pk, 3)
        assert sum("the disk" in entry.getMessage() for entry in self.lines(caplog)) == 3

    def test_a_refused_request_has_a_line_with_its_route_and_no_address(self, client, user, caplog):
        caplog.set_level(logging.INFO)
        assert client.get("/api/v1/matches?limit=x&secret=hush").status_code == 422
        [line] = [entry for entry in self.lines(caplog) if "422" in entry.getMessage()]
        assert line.getMessage().startswith("refused GET api/v1/matches: 422")
        assert "(invalid)" in line.getMessage()
        assert "hush" not in caplog.text
