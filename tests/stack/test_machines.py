"""A machine that plays for a site elsewhere, added by compose.worker.yml as docs/guides/operate.md says.

The site is that of docker-compose.yml with compose.machines.yml, its files in a bucket. Both projects run on
one engine, in networks of their own; the machine reaches PostgreSQL, Redis and the bucket by TLS, at an
address of this host. The tests of this file are one story, in their order.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import s3
from tests.support.processes import ROOT

from .stack import Machine, Stack, docker, free_port, inspected, until

pytestmark = [
    pytest.mark.minutes,
    pytest.mark.docker,
    pytest.mark.serial,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root sees the files of the services"),
    pytest.mark.slow,
]

GUIDE = (ROOT / "docs" / "guides" / "operate.md").read_text(encoding="utf-8")
ADDING = GUIDE.partition("\n## Add a machine\n")[2].partition("\n## ")[0]
HONEST = (ROOT / "games/coup/bots/honest.py").read_text()
SLOW = HONEST.replace("\nmain()", "\nimport time; time.sleep(1)\nmain()")  # half of what it may take
FAR = "worker LIKE 'rack2:%'"


def documented(begin: str) -> str:
    """The block of the page's section that begins so."""
    blocks = [re.sub("(?m)^ +", "", block) for block in re.findall("(?s)```\n(.*?)```", ADDING)]
    [block] = [candidate for candidate in blocks if candidate.startswith(begin)]
    return block


def settings(block: str) -> dict[str, str]:
    """What a block for `.env` sets."""
    return dict(line.split("=", 1) for line in block.splitlines())


@pytest.fixture(scope="module")
def here() -> Iterator[str]:
    """An address of this host, as in a private network: the bridge of a network that nothing else is in."""
    name = docker("network", "create", f"agon-private-{os.getpid()}").strip()
    try:
        yield inspected(name, "{{range .IPAM.Config}}{{.Gateway}}{{end}}")
    finally:
        docker("network", "rm", name)


@pytest.fixture(scope="module")
def site(images: None, here: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    opened = settings(documented("COMPOSE_FILE"))
    folder, files = tmp_path_factory.mktemp("site"), opened["COMPOSE_FILE"].split(":")
    assert files[0] == "docker-compose.yml"
    stack = Stack(f"agon-site-{os.getpid()}", folder, free_port(), *(ROOT / file for file in files[1:]))
    certificate = documented("openssl").replace("DNS:site.example.org", f"IP:{here}")
    subprocess.run(["sh", "-ec", certificate], cwd=folder, check=True, capture_output=True)
    pair = stack.secrets / "server.pem", stack.secrets / "server.key"
    (stack.data / "ca.pem").write_bytes(pair[0].read_bytes())
    with s3.bucket(here, (str(pair[0]), str(pair[1]))) as bucket:
        storage = bucket.setting.partition("?")[0]
        stack.environment |= {"STORAGE": f"{storage}?ca={stack.data}/ca.pem", "MACHINES_LISTEN": here}
        try:
            stack.up()
            yield stack
        finally:
            stack.remove()


@pytest.fixture(scope="module")
def rack2(site: Stack, here: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """The machine, added by the page's commands."""
    command = documented("docker compose exec web")
    printed = site.compose("exec", "--no-TTY", *command.split()[3:])
    password = dict(line.split() for line in printed.splitlines())["password"]
    folder = tmp_path_factory.mktemp("rack2")
    known = settings(documented("MACHINE=").replace("site.example.org", here))
    del known["DOCKER_GID"]  # of this engine
    machine = Machine(f"agon-rack2-{os.getpid()}", folder, known)
    for name, text in {
        "postgres_password": password,
        "redis_password": (site.secrets / "redis_password").read_text(),
        "storage": site.environment["STORAGE"].partition("?")[0],
        "ca.pem": (site.secrets / "server.pem").read_text(),
    }.items():
        (machine.secrets / name).write_text(text)
    subprocess.run(["sh", "-ec", documented("chmod 700")], cwd=folder, check=True)
    assert documented("docker compose --file compose.worker.yml").split()[4:] == ["up", "--build", "--detach"]
    try:
        machine.up()
        yield machine
    finally:
        machine.remove()


def result_of(match: str) -> str:
    """The query for all that a match left, of which there is one each."""
    return f"""
        SELECT m.id, md5(r.record), s.number, s.score, s.rank FROM matches_match m
        JOIN matches_seat s ON s.match_id = m.id JOIN matches_recording r ON r.match_id = m.id
        WHERE m.id = {match} ORDER BY s.number
    """


def both_said(site: Stack, machine: Machine) -> str:
    return f"{site.sql('SELECT place, facts FROM fleet_process')}\n{machine.said()}\n{site.said()}"


def test_it_proves_itself_and_is_let_in(site: Stack, rack2: Machine) -> None:
    proven = "SELECT count(*) FROM fleet_process WHERE machine = 'rack2' AND facts->>'speed_ms' IS NOT NULL"
    cores = str(len(os.sched_getaffinity(0)))
    until(lambda: site.sql(proven) == [cores], lambda: both_said(site, rack2))
    assert site.sql("SELECT count(*) FROM fleet_pausedworker") == ["0"]
    encrypted = (
        "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename ~ '_worker_'"
    )
    assert site.sql(encrypted) == ["t"]


def uploaded(site: Stack, owner: str, program: str, folder: Path) -> str:
    """The condition for matches of a bot that a newcomer uploads."""
    (folder / "bot.py").write_text(program)
    with site.newcomer(owner) as newcomer:
        made = newcomer.submit("coup", f"Bot of {owner}", folder / "bot.py")
        *_, last = newcomer.follow(made["id"])
    assert last["state"] == "active", last
    return (
        "id IN (SELECT match_id FROM matches_seat JOIN bots_submission s ON s.id = submission_id "
        f"WHERE bot_id = {made['bot']})"
    )


def test_it_plays_a_bot_that_was_uploaded_to_the_site(site: Stack, rack2: Machine, tmp_path: Path) -> None:
    its_matches = uploaded(site, "ada", HONEST, tmp_path)
    finished = f"SELECT id FROM matches_match WHERE state = 'finished' AND {FAR} AND {its_matches} LIMIT 1"
    until(lambda: site.sql(finished), lambda: both_said(site, rack2))


def test_what_it_is_cut_off_from_is_played_again_and_counts_once(
    site: Stack, rack2: Machine, tmp_path: Path
) -> None:
    # Of another newcomer: matches of those who have used a minute of the workers wait for all others.
    its_matches = uploaded(site, "bob", SLOW, tmp_path)
    running = f"SELECT id FROM matches_match WHERE state = 'running' AND {FAR} AND {its_matches}"
    lost: list[str] = []

    def cut_in_mid_match() -> bool:
        if before := site.sql(running):
            rack2.cut_off()
            lost[:] = [number for number in site.sql(running) if number in before]
            if not lost:  # it ended just then
                rack2.connect()
        return bool(lost)

    until(cut_in_mid_match, lambda: both_said(site, rack2))
    [match, *_] = lost
    query = f"SELECT state, attempt, split_part(worker, ':', 1) FROM matches_match WHERE id = {match}"
    until(lambda: site.sql(query) == ["finished|2|main"], lambda: f"{site.sql(query)} {site.said()}")
    result = site.sql(result_of(match))
    assert len(result) == 2, "one for each seat"

    rack2.connect()
    later = f"SELECT 1 FROM matches_match WHERE state = 'finished' AND {FAR} AND id > {match} LIMIT 1"
    until(lambda: site.sql(later), lambda: both_said(site, rack2))
    rack2.until_healthy()
    assert site.sql(result_of(match)) == result
    assert "permission denied" not in rack2.compose("logs")
    site.manage("recompute_ratings", "--check")


def test_two_containers_of_it_play_beside_each_other(site: Stack, rack2: Machine) -> None:
    cores = len(os.sched_getaffinity(0))
    lost = "SELECT count(*) FROM matches_failedattempt WHERE worker NOT LIKE '%.2'"
    before, [last] = site.sql(lost), site.sql("SELECT max(id) FROM matches_match")
    playing = f"SELECT DISTINCT worker FROM matches_match WHERE state = 'finished' AND {FAR} AND id > "
    rack2.up("--scale", "workers=2", "--no-recreate")
    until(lambda: len(site.sql(playing + last)) == 2 * cores, lambda: both_said(site, rack2))
    alive = "SELECT count(*) FROM fleet_process WHERE machine = 'rack2' AND NOT stopped"
    assert site.sql(alive) == [str(2 * cores)]

    rack2.up("--scale", "workers=1", "--no-recreate")
    [last] = site.sql("SELECT max(id) FROM matches_match")
    until(lambda: len(site.sql(playing + last)) >= cores, lambda: both_said(site, rack2))
    assert site.sql(lost) == before, "the second took no match and no box of the first"
