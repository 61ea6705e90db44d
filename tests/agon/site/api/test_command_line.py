"""`agon` and a site: its commands in processes of their own, the site in this one."""

import json
import os
import pwd
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest.mock import Mock

import pytest
from django.test import Client

from agon.client import Site, SiteError
from agon.site.bots.models import Submission
from agon.site.bots.states import State
from tests.support.factories import activate

from .conftest import PROGRAM

pytestmark = pytest.mark.django_db(transaction=True)
DONE, FAILED, USAGE, SIGN_IN, REFUSED, TRY_LATER = range(6)


def test_signing_in_keeps_the_token_for_its_owner_alone(logged_in, token, tmp_path):
    kept = tmp_path / ".config" / "agon" / "sites.json"

    assert token in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0
    assert logged_in("whoami").out.startswith("ada at ")
    assert json.loads(logged_in("whoami", "--json").out)["token"]["name"] == "laptop"


def test_signing_in_waits_for_a_person_to_approve(live_server, user, tmp_path):
    """The command prints a code; the person enters it on the page, and the command goes on."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    command = [sys.executable, "-m", "agon", "login", "--site", live_server.url, "--scope", "read"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    said = process.stderr.readline()
    code = re.search(r"[A-Z]{4}-[A-Z]{4}", said)
    assert code, said
    browser = Client()
    user.set_password("correct horse battery")
    user.save()
    browser.force_login(user)
    form = {"code": code[0], "password": "correct horse battery", "approve": ""}
    assert browser.post("/device/", form).status_code == 302

    _out, rest = process.communicate(timeout=60)
    assert process.returncode == DONE, rest
    assert f"signed in to {live_server.url} as ada" in rest
    kept = json.loads((tmp_path / ".config" / "agon" / "sites.json").read_text())
    with Site(live_server.url, kept["tokens"][live_server.url]) as site:
        assert site.me()["token"]["scopes"] == ["read"]


def test_a_scope_that_is_none_is_refused_at_once(agon, live_server):
    result = agon("login", live_server.url, "--scope", "everything")

    assert result.code == USAGE
    assert "everything" in result.err


def test_signing_out_forgets_it(logged_in, token, tmp_path, competition):
    assert logged_in("logout").code == DONE
    assert token not in (tmp_path / ".config" / "agon" / "sites.json").read_text()
    assert logged_in("whoami").code == SIGN_IN
    assert logged_in("logout").code == USAGE


@pytest.mark.parametrize("given", ["", "hello", "agon_ä", "agon_" + "x" * 40])
def test_a_token_that_is_none_is_not_kept(agon, live_server, tmp_path, given):
    result = agon("login", "--token", live_server.url, stdin=f"{given}\n")

    assert result.code == SIGN_IN
    assert not list(tmp_path.rglob("sites.json"))


def test_a_program_is_entered_once(signed_in, program, competition):
    first = signed_in("submit", "samurai", program, "--bot", "Rita")
    again = signed_in("submit", "samurai", program, "--bot", "Rita", "--json")

    assert first.code == again.code == DONE
    assert first.out.startswith("version 1 of Rita: received")
    assert json.loads(again.out)["id"] == Submission.objects.get().pk
    assert json.loads(signed_in("status", Submission.objects.get().pk, "--json").out)["version"] == 1
    assert "Rita" in signed_in("status").out


def test_a_check_enters_nothing(signed_in, program, competition):
    result = signed_in("submit", "samurai", program, "--check")

    assert result.out == "it would be version 1 of rita: python, rita.py\n"
    assert not Submission.objects.exists()


def test_a_rejection_ends_with_1(signed_in, program, competition):
    number = json.loads(signed_in("submit", "samurai", program, "--json").out)["id"]
    Submission.objects.filter(pk=number).update(state=State.REJECTED, build_log="line 3: no\n")

    assert signed_in("watch", number).code == FAILED
    assert "line 3: no" in signed_in("status", number).out


def test_the_leaderboard_and_its_fields(agon, live_server, user, competition):
    activate(user, competition, ["Rita", "=Sue"])
    table = agon("board", "samurai", "--site", live_server.url)
    assert "Rita" in table.out
    lines = agon("board", "samurai", "--format", "json(name, played)", AGON_SITE=live_server.url).out
    rows = [json.loads(line) for line in lines.splitlines()]
    assert sorted(bot["name"] for bot in rows) == ["=Sue", "Rita"]
    assert set(rows[0]) == {"name", "played"}
    text = agon("board", "samurai", "--format", "csv(name)", "--limit", 9, AGON_SITE=live_server.url).out
    assert "\n=Sue" not in text


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("board", "samurais"), USAGE, "samurai"),
        (("board", "samurai", "--format", "xml(a)"), USAGE, "--format"),
        (("matches", "--state", "played"), USAGE, "state"),
        (("status", 7), SIGN_IN, "token"),
        (("submit", "samurai", "nothing.py"), USAGE, "nothing.py"),
        (("download", "record", 7), USAGE, "7"),
    ],
)
def test_what_is_wrong_is_said_with_an_exit_code(agon, live_server, competition, arguments, code, says):
    result = agon(*arguments, AGON_SITE=live_server.url)

    assert result.code == code
    assert says in result.err


def test_no_site_is_named(agon):
    result = agon("board", "samurai")

    assert result.code == USAGE
    assert "agon login URL" in result.err


def test_a_site_that_does_not_answer_is_tried_again_and_reported(agon):
    result = agon("board", "samurai", "--site", "http://127.0.0.1:9")

    assert result.code == TRY_LATER
    assert "does not answer" in result.err


@pytest.mark.parametrize("url", ["nonsense", "ftp://a", "http://", "http://[::1"])
def test_an_address_that_is_none_is_reported(agon, url):
    assert agon("board", "samurai", "--site", url).code in (USAGE, TRY_LATER)


def test_a_refusal_has_the_sentence_of_the_page(signed_in, program, competition):
    competition.state = competition.State.CLOSED
    competition.save()
    result = signed_in("submit", "samurai", program)

    assert result.code == REFUSED
    assert "is closed" in result.err


def test_a_limit_says_when_to_try_again(signed_in, program, competition, settings):
    settings.AGON_SUBMISSIONS_PER_HOUR = 0
    settings.AGON_PENDING_PER_USER = 99
    result = signed_in("submit", "samurai", program)

    assert result.code == TRY_LATER


@pytest.mark.parametrize("text", ["agon_ä", "agon_secret\nagon_other", "agon_\x1b[2J"])
def test_a_token_that_no_header_can_hold_is_refused_unsent_and_unshown(agon, live_server, text):
    result = agon("status", AGON_SITE=live_server.url, AGON_TOKEN=text)

    assert (result.code, "AGON_TOKEN" in result.err) == (SIGN_IN, True), result
    assert text[5:] not in result.err


def test_a_token_may_have_the_end_of_its_line(agon, live_server, token):
    assert agon("whoami", AGON_SITE=live_server.url, AGON_TOKEN=f"{token}\n").code == DONE


def test_a_home_that_cannot_be_written_is_named_before_anyone_approves(agon, live_server, tmp_path):
    (tmp_path / "file").touch()
    home = str(tmp_path / "file" / "home")
    for words in (("login", live_server.url), ("login", "--token", live_server.url)):
        result = agon(*words, stdin="agon_x\n", HOME=home)
        assert (result.code, f"{home}/.config/agon" in result.err) == (USAGE, True), result
        assert "the code" not in result.err


def test_without_a_home_folder_no_token_is_kept_in_the_folder_where_one_is(
    agon, live_server, tmp_path, monkeypatch
):
    """The account is a number without a name, as in some containers."""
    monkeypatch.setattr(pwd, "getpwuid", Mock(side_effect=KeyError))
    result = agon("login", "--token", live_server.url, stdin="agon_x\n", HOME=None)
    assert (result.code, result.err) == (
        USAGE,
        "agon: there is no home folder to keep the token in; name another folder with XDG_CONFIG_HOME, or "
        "give the token with AGON_TOKEN\n",
    )
    assert not (tmp_path / "~").exists()
    assert agon("board", "samurais", "--site", live_server.url, HOME=None).code == USAGE


def test_a_reader_that_closes_the_pipe_is_no_mistake_and_a_full_disk_is_named(
    live_server, user, competition, tmp_path
):
    activate(user, competition, [f"bot {number}" for number in range(20)])
    home = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "AGON_SITE": live_server.url}

    def ended(output: int) -> tuple[int, str]:
        command = [sys.executable, "-m", "agon", "board", "samurai"]
        process = subprocess.run(
            command, cwd=tmp_path, env=home, stdout=output, stderr=subprocess.PIPE, text=True
        )
        os.close(output)
        return process.returncode, process.stderr

    reading, writing = os.pipe()
    os.close(reading)
    assert ended(writing) == (DONE, "")
    full = "agon: standard output cannot be written: No space left on device\n"
    code, said = ended(os.open("/dev/full", os.O_WRONLY))
    assert (code, said.startswith(full)) == (FAILED, True)


@pytest.mark.parametrize("text", ["{", "[]", '{"site": 7}', '{"tokens": []}', '{"tokens": {"https://a": 7}}'])
def test_a_file_that_is_kept_but_damaged_is_named(agon, tmp_path, text):
    folder = tmp_path / ".config" / "agon"
    folder.mkdir(parents=True)
    (folder / "sites.json").write_text(text)

    assert "sites.json" in agon("whoami", "--site", "https://a").err


def test_scripts_use_the_client(live_server, token, user, competition, program):
    with Site(live_server.url, token) as site:
        made = site.submit("samurai", "Rita", program)
        assert site.submission(made["id"])["state"] == "received"
        assert [bot["name"] for bot in site.bots()] == ["Rita"]
        assert site.download(f"submissions/{made['id']}/source") == PROGRAM
        with pytest.raises(SiteError) as refused:
            site.submission(made["id"] + 1)
    assert refused.value.code == "not_found"
    assert refused.value.status == 404


class Hostile(BaseHTTPRequestHandler):
    """A site that wants to write where it may not, and to move the cursor of the terminal."""

    def do_GET(self) -> None:
        match = {"id": "../../caught", "state": "finished"}
        account = {
            "name": "\x1b[2Jada",
            "token": {"name": "t", "scopes": [], "competition": None, "expires": None},
        }
        page = {"items": [match], "next": None}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(account if self.path.endswith("/me") else page).encode())

    def do_POST(self) -> None:
        self.send_response(200)
        self.end_headers()
        begun = {"device_code": 1, "user_code": "\x1b[2J", "expires_in": "long", "interval": -1}
        self.wfile.write(json.dumps(begun).encode())

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def hostile() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_site_writes_no_files_elsewhere_and_commands_no_terminal(agon, hostile, tmp_path):
    folder = tmp_path / "deep" / "down"
    result = agon("download", "matches", 1, "-o", folder, AGON_SITE=hostile)

    assert result.code == USAGE
    assert "no site of Agon" in result.err
    assert not list(tmp_path.rglob("*caught*"))
    assert "\x1b" not in agon("whoami", AGON_SITE=hostile).out
    login = agon("login", hostile)
    assert login.code == USAGE
    assert "no site of Agon" in login.err


class Proxy(BaseHTTPRequestHandler):
    """Something before a site, which answers with a page of its own."""

    status = 502

    def do_GET(self) -> None:
        page = b"<html><h1>Sorry</h1></html>"
        self.send_response(self.status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    do_POST = do_GET

    def log_message(self, *_arguments: object) -> None:
        pass


@contextmanager
def proxy(status: int) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Answering", (Proxy,), {"status": status}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("status", "code", "says"),
    [
        (429, TRY_LATER, "answered 429 Too Many Requests"),
        (500, TRY_LATER, "answered 500 Internal Server Error"),
        (502, TRY_LATER, "answered 502 Bad Gateway"),
        (504, TRY_LATER, "answered 504 Gateway Timeout"),
        (200, USAGE, "is no site of Agon"),
        (404, USAGE, "answered 404 Not Found"),
    ],
)
def test_a_page_of_a_proxy_is_no_answer_of_the_site(agon, program, tmp_path, status, code, says):
    with proxy(status) as url:
        commands = (("board", "samurai"), ("submit", "samurai", program), ("download", "record", 7))
        for command in commands:
            result = agon(*command, AGON_SITE=url, AGON_TOKEN="agon_x")
            assert (result.code, says in result.err) == (code, True), result.err
    assert not list(tmp_path.glob("match-*"))


def test_a_site_whose_certificate_is_wrong_is_not_asked_again(agon, live_server):
    """Nor is one that speaks no TLS."""
    began = time.monotonic()
    result = agon("board", "samurai", "--site", live_server.url.replace("http:", "https:"))

    assert result.code == USAGE
    assert "no secure connection" in result.err
    assert "SSL" in result.err
    assert time.monotonic() - began < 60
