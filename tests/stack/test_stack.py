"""A production site as docker-compose.yml makes it, brought up by compose: from sign-up to a restore.

The tests of this file are one story, in their order: each goes on with the stack that the one before left.
"""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from agon.cli.output import INTERNAL_ERROR
from agon.client import Site, SiteError
from tests.support.chromium import chromium
from tests.support.processes import ROOT
from tests.support.visiting import Visitor

from . import alarms
from .older import load_site_of_1_0
from .stack import CANARY_SECONDS, METRICS_TOKEN, STAYING, Stack, free_port, until

pytestmark = [
    pytest.mark.minutes,
    pytest.mark.docker,
    pytest.mark.browser,
    pytest.mark.serial,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root sees the files of the services"),
    pytest.mark.slow,
]

BOT = ROOT / "games/coup/bots/honest.py"
DATA = ROOT / "tests/data/1.0"
CUP = """
SELECT m.index, s.number, s.name, s.score, s.rank
FROM matches_seat s JOIN matches_match m ON s.match_id = m.id
WHERE m.tournament_id IS NOT NULL ORDER BY m.tournament_id, m.index, s.number
"""


@pytest.fixture(scope="module")
def stack(images: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    started = Stack(f"agon-stack-{os.getpid()}", tmp_path_factory.mktemp("stack"), free_port())
    try:
        yield started
    finally:
        started.remove()


def played(stack: Stack) -> int:
    return int(stack.sql("SELECT count(*) FROM matches_match WHERE state = 'finished'")[0])


def until_it_plays(stack: Stack) -> None:
    """Wait until a canary has succeeded from now on. Ladders that have settled play nothing by themselves."""
    [time] = stack.sql("SELECT extract(epoch FROM now())::bigint")
    later = f"SELECT 1 FROM fleet_canary WHERE succeeded > to_timestamp({time})"
    until(lambda: stack.sql(later), stack.said)


def verified(archive: bytes, folder: Path) -> str:
    """What `agon verify` says of an archive, as somebody elsewhere."""
    file = folder / "archive.zip"
    file.write_bytes(archive)
    command = [sys.executable, "-m", "agon", "verify", str(file)]
    ran = subprocess.run(command, cwd=ROOT / "platform", capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def is_made(site: Site, path: str) -> bool:
    try:
        return bool(site.download(path))
    except SiteError as error:
        if error.retry_after is None:
            raise
        return False


def over(site: Site, tournament: int) -> bool:
    return bool(site.call("GET", f"tournaments/{tournament}")["state"] == "finished")


def facts(stack: Stack) -> dict[str, list[str]]:
    """What has to survive."""
    return {
        "users": stack.sql("SELECT username FROM accounts_user ORDER BY 1"),
        "bots": stack.sql("SELECT id, name FROM bots_bot ORDER BY 1"),
        "cup": stack.sql(CUP),
    }


def test_it_comes_up_with_every_service_healthy(stack: Stack) -> None:
    stack.up()
    assert httpx.get(f"{stack.url}/healthz").text.strip() == "ok"
    until(lambda: httpx.get(f"{stack.url}/readyz", timeout=30).json()["ready"], stack.said)
    assert "Python" not in httpx.get(f"{stack.url}/").headers.get("Server", "")


def test_a_newcomer_signs_up_uploads_and_has_a_match_that_verifies(stack: Stack, tmp_path: Path) -> None:
    with stack.newcomer("ada") as site:
        made = site.submit("coup", "Honest Ada", BOT)
        *_, last = site.follow(made["id"])
        assert last["state"] == "active", last
        until(lambda: any(site.matches(bot=made["bot"], state="finished")), stack.said)
        match = next(iter(site.matches(bot=made["bot"], state="finished")))
        assert "sound" in verified(site.download(f"matches/{match['id']}/archive"), tmp_path)
    sandboxes = (
        "SELECT facts->>'sandbox' FROM fleet_environment e JOIN matches_match m ON m.environment = e.digest"
    )
    assert stack.sql(f"{sandboxes} WHERE m.id = {match['id']}") == ["docker"]


def test_an_administrator_runs_a_tournament_and_its_signed_archive_verifies(
    stack: Stack, tmp_path: Path
) -> None:
    password = (stack.data / "first-admin-password").read_text().strip()
    with Visitor(stack.url) as visitor:
        visitor.sign_in("admin", password)
        token = visitor.token(password, "read", "organize")
    with Site(stack.url, token) as admin:
        bots: list[int] = []

        def enough() -> bool:  # house bots come into play one by one
            bots[:] = [row["id"] for row in admin.pages("competitions/coup/bots")]
            return len(bots) >= 3

        until(enough, stack.said)
        wanted = {
            "competition": "coup",
            "name": "Cup",
            "format": "round_robin",
            "rounds": 1,
            "bots": bots[:3],
        }
        cup = admin.post("tournaments", wanted)["id"]
        admin.post(f"tournaments/{cup}/start", {"reason": "it is Monday"})
        until(lambda: over(admin, cup), stack.said)
        until(lambda: is_made(admin, f"tournaments/{cup}/archive"), stack.said)
        assert "sound" in verified(admin.download(f"tournaments/{cup}/archive"), tmp_path)
    assert password not in stack.compose("logs")


def test_more_workers_play_each_match_once(stack: Stack) -> None:
    before = played(stack)
    stack.compose("exec", "-T", "workers", "sh", "-c", "touch $TMPDIR/in-use")
    stack.up("--scale", "workers=2", "--no-recreate")
    stack.compose("exec", "-T", "workers", "sh", "-c", "rm $TMPDIR/in-use")
    assert len([row for row in stack.containers() if row["Service"] == "workers"]) == 2
    alive = "SELECT count(*) FROM fleet_process WHERE NOT stopped AND kind = "
    until(lambda: stack.sql(f"{alive} 'builder'") == ["2"], stack.said)
    until(lambda: played(stack) > before + 2, stack.said)
    assert stack.sql("SELECT match_id FROM matches_seat GROUP BY match_id, number HAVING count(*) > 1") == []
    stack.compose("up", "--detach", "--no-build", "--scale", "workers=1", "--no-recreate")


def test_addresses_that_were_asked_for_are_in_no_log(stack: Stack) -> None:
    httpx.get(f"{stack.url}/healthz?secret=of-a-feed")
    said = stack.compose("logs", "web")
    assert "secret=of-a-feed" not in said
    lines = [line.partition("|")[2].strip() for line in said.splitlines()]
    assert [line for line in lines if '"level": "ERROR"' in line] == []


def test_visitors_who_never_end_their_headers_are_sent_away(stack: Stack) -> None:
    host, port = stack.environment["LISTEN"].split(":")
    with socket.create_connection((host, int(port)), timeout=120) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        assert slow.recv(1) == b""


@pytest.mark.parametrize("service", sorted(STAYING))
def test_a_service_that_is_stopped_sounds_the_alarm_that_the_guide_names(stack: Stack, service: str) -> None:
    expected = alarms.documented()[service]

    def sounding() -> set[alarms.Alarm]:
        return alarms.sounding(stack.url, METRICS_TOKEN, CANARY_SECONDS)

    until(lambda: sounding() == set(), lambda: f"{sounding()}\n{stack.said()}")
    stack.compose("stop", "--timeout", "5", service)
    try:
        # Not at once: each of the two web processes shares one look at the site for some seconds.
        until(lambda: sounding() == expected, lambda: f"{sounding()}\n{stack.said()}")
    finally:
        stack.compose("start", service)
    stack.until_healthy()


def test_pages_say_503_while_the_database_is_away_and_come_back(stack: Stack) -> None:
    stack.compose("stop", "postgres")
    assert httpx.get(f"{stack.url}/", timeout=60).status_code == 503
    assert httpx.get(f"{stack.url}/readyz", timeout=60).status_code == 503
    assert httpx.get(f"{stack.url}/healthz", timeout=60).status_code == 200
    stack.compose("start", "postgres")
    until(lambda: httpx.get(f"{stack.url}/", timeout=60).status_code == 200, stack.said)
    stack.until_healthy()


def test_every_service_whose_main_process_is_killed_comes_back(stack: Stack) -> None:
    before = {service: stack.restarts(service) for service in STAYING}
    for service in sorted(STAYING):
        stack.kill(service)
    until(lambda: all(stack.restarts(name) > before[name] for name in STAYING), stack.said)
    stack.until_healthy()
    until_it_plays(stack)


def test_what_was_there_is_there_after_down_and_up(stack: Stack) -> None:
    before = facts(stack)
    stack.compose("down")
    assert stack.containers() == []
    stack.up()
    assert facts(stack) == before


def test_behind_the_proxy_a_browser_keeps_ten_pages_open(stack: Stack) -> None:
    """With HTTP/1.1 the seventh would wait for one of the six streams before it to end."""
    port = free_port()
    stack.environment |= {"SITE_URL": f"https://localhost:{port}", "PROXIES": "1", "PROXY_PORT": str(port)}
    stack.compose("--profile", "proxy", "up", "--detach", "--no-build", "--wait", "proxy", "web")
    with chromium() as browser, browser.new_context(ignore_https_errors=True) as context:
        pages = [context.new_page() for _ in range(10)]
        for page in pages:
            page.goto(f"https://localhost:{port}/c/coup/", wait_until="load", timeout=60_000)
        asked = pages[-1].evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol")
    assert asked == "h2"
    with httpx.Client(base_url=f"https://localhost:{port}", verify=False, timeout=60) as visitor:
        forged = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http"}
        assert visitor.get("/", headers=forged).status_code == 200  # else a redirect to https, without end
        assert visitor.post("/c/coup/submit/", content=b"x" * (34 << 20)).status_code == 413
        stack.compose("stop", "web")
        away = visitor.get("/")
        assert (away.status_code, away.headers["Retry-After"]) == (503, "10")
    stack.environment |= {"SITE_URL": stack.url, "PROXIES": "0"}
    stack.compose("--profile", "proxy", "rm", "--stop", "--force", "proxy")
    stack.up()


def test_a_backup_is_restored_into_an_empty_stack(stack: Stack) -> None:
    backup = stack.data / "backups" / "monday.backup"
    stack.agon("backup", str(backup))
    assert "sound" in stack.agon("verify-backup", str(backup))
    before = facts(stack)
    stack.compose("down", "--volumes")
    kept = backup.read_bytes()
    shutil.rmtree(stack.data)
    backup.parent.mkdir(parents=True)
    backup.write_bytes(kept)
    stack.compose("run", "--rm", "--no-TTY", "prepare", "sh", "deploy/restore.sh", str(backup))
    stack.manage("check_chain")
    stack.manage("recompute_ratings", "--check")
    refused = stack.compose(
        "run", "--rm", "--no-TTY", "prepare", "sh", "deploy/restore.sh", str(backup), expected=INTERNAL_ERROR
    )
    assert "This site is not empty" in refused
    stack.up()
    assert facts(stack) == before
    until_it_plays(stack)


def test_a_site_of_1_0_is_upgraded(stack: Stack) -> None:
    stack.compose("down", "--volumes")
    shutil.rmtree(stack.data)
    stack.data.mkdir()
    stack.compose("up", "--detach", "--wait", "postgres", "redis")
    load_site_of_1_0(stack)
    shutil.copytree(DATA / "media", stack.data / "media")
    stack.compose(
        "run",
        "--rm",
        "--no-TTY",
        "prepare",
        "sh",
        "-ec",
        ". deploy/folders.sh; chown -R agon: $AGON_VAR/media; chmod -R g+rwXs $AGON_VAR/media",
    )
    assert "make a backup first" in stack.agon("upgrade", "--check", expected=INTERNAL_ERROR)
    stack.agon("backup", str(stack.data / "backups" / "of-1-0.backup"))
    assert "pending migrations: " in stack.agon("upgrade", "--check")
    stack.agon("upgrade")
    assert "pending migrations: 0" in stack.agon("upgrade", "--check")
    stack.up()
    assert {"ada", "bob", "olga"} <= set(stack.sql("SELECT username FROM accounts_user"))
    with Site(stack.url) as site:
        until(lambda: is_made(site, "tournaments/1/archive"), stack.said)
        assert "sound" in verified(site.download("tournaments/1/archive"), stack.data)
