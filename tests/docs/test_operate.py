"""docs/guides/operate.md keeps its word: the commands about backups and upgrades do what they say."""

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
import pytest

from tests.support.databases import migrated_on_server
from tests.support.processes import ROOT

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "guides" / "operate.md").read_text(encoding="utf-8")
COMPOSE = (ROOT / "docker-compose.yml").read_text()
RESTORE = (ROOT / "deploy" / "restore.sh").read_text()
DATA = ROOT / "tests" / "data" / "1.0"
OF_DOCKER = "docker compose run --rm "
# What needs the engine itself, and what a restore has to do with it: tests/setup/test_production.py.
OF_THE_ENGINE = re.compile(
    r"docker compose (build|down|up --detach)|docker volume rm agon_postgres|mv /var/lib/agon/.*"
)


def section(title: str) -> list[str]:
    """The commands of a section, in their order."""
    text = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    return [line.strip() for block in blocks for line in block.splitlines()]


def of_machine(title: str) -> list[str]:
    return [
        line for line in section(title) if not line.startswith("docker") and not OF_THE_ENGINE.fullmatch(line)
    ]


def of_compose(title: str) -> list[str]:
    return [line for line in section(title) if line.startswith(OF_DOCKER)]


def shell(line: str, folder: Path, environment: dict[str, str]) -> str:
    """What a line of the page prints, in a folder that looks like the project."""
    ran = subprocess.run(["sh", "-ec", line], cwd=folder, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, f"{line}: {ran.stdout}{ran.stderr}"
    return ran.stdout


def plain_environment() -> dict[str, str]:
    settings = re.compile(r"(AGON|DATABASE|REDIS|SECRET|STORAGE|DJANGO)")
    return {name: value for name, value in os.environ.items() if not settings.match(name)}


@pytest.fixture
def project(tmp_path):
    """A folder with the programs of this project and, in var/, a site of 1.0."""
    for name in (".venv", "manage.py"):
        (tmp_path / name).symlink_to(ROOT / name)
    if not (ROOT / ".venv" / "bin" / "agon").exists():
        pytest.skip("this project is not set up in .venv")
    (tmp_path / "var").mkdir()
    with closing(sqlite3.connect(tmp_path / "var" / "agon.sqlite3")) as database:
        database.executescript((DATA / "site.sql").read_text())
    shutil.copytree(DATA / "media", tmp_path / "var" / "media")
    return tmp_path


@pytest.fixture
def environment(project):
    return plain_environment() | {"AGON_VAR": str(project / "var")}


def test_no_command_of_these_sections_is_left_out():
    for title in ("Back up and restore", "Rehearse a restore", "Upgrade", "Go back", "Rotate keys"):
        every = section(title)
        assert every
        run = [*of_machine(title), *of_compose(title)]
        assert [line for line in every if line not in run and not OF_THE_ENGINE.fullmatch(line)] == []


@pytest.mark.exhaustive
def test_a_machine_is_backed_up_restored_upgraded_and_goes_back(project, environment):
    rehearsal = str(project / "rehearsal")
    (upgrade_check,) = of_machine("Upgrade")
    backup, verify, restore = of_machine("Back up and restore")
    assert "monday.backup: database.sqlite3.gz" in shell(backup, project, environment)
    assert "monday.backup: sound" in shell(verify, project, environment)
    assert "pending migrations: " in shell(upgrade_check, project, environment)

    shell(".venv/bin/agon upgrade", project, environment)
    migrated = shell("rm monday.backup; " + backup, project, environment)
    assert "monday.backup" in migrated
    again, chain, ratings = (
        line.replace("/tmp/rehearsal", rehearsal) for line in of_machine("Rehearse a restore")
    )
    assert "is restored" in shell(again, project, environment)
    assert "days checked" in shell(chain, project, environment)
    assert " 0 differences" in shell(ratings, project, environment)

    former = (project / "var" / "secret_key").read_text()
    said = [shell(line, project, environment) for line in of_machine("Rotate keys")]
    assert said[-1] == "encrypted with the present key: 0\n"
    new, *rest = (project / "var" / "secret_key").read_text().splitlines()
    assert rest == [former]
    assert len(new) == 64
    assert (project / "var" / "secret_key").stat().st_mode & 0o777 == 0o600

    elsewhere = environment | {"AGON_VAR": str(project / "elsewhere")}
    assert "is restored" in shell(restore, project, elsewhere)

    [copy] = (project / "var" / "before-upgrades").iterdir()
    listing, remove, put_back = of_machine("Go back")
    assert copy.name in shell(listing, project, environment)
    shell(remove, project, environment)
    shell(re.sub(r"agon-\S+Z\.sqlite3", copy.name, put_back), project, environment)
    assert "of an earlier Agon" in shell(upgrade_check, project, environment)


@pytest.fixture
def databases(postgres_url, store):
    """Makes databases, empty ones or migrated ones; returns their URLs."""
    made = []
    with closing(psycopg2.connect(postgres_url)) as server:
        server.autocommit = True

        def make(is_migrated: bool) -> str:
            made.append(f"operate_{os.getpid()}_{len(made)}")
            template = migrated_on_server(postgres_url, store.parent) if is_migrated else "template1"
            server.cursor().execute(f"CREATE DATABASE {made[-1]} TEMPLATE {template}")
            return urlsplit(postgres_url)._replace(path=f"/{made[-1]}").geturl()

        yield make
        for name in made:
            server.cursor().execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.postgres
@pytest.mark.redis
@pytest.mark.exhaustive
def test_a_production_site_is_backed_up_and_restored(tmp_path, databases, redis_url):
    """What `docker compose run` starts is run here: `agon`, and what restore.sh ends with."""
    assert re.search(r"\n  agon:\n(    .*\n)*    entrypoint: agon\n", COMPOSE)
    programs = str(Path(sys.executable).parent)

    def run(line: str, environment: dict[str, str]) -> str:
        words = shlex.split(line.removeprefix(OF_DOCKER).replace("/var/lib/agon", str(tmp_path)))
        match words:
            case ["agon", *rest]:
                command = ["agon", *rest]
            case ["--entrypoint", "python", "agon", *rest]:
                command = ["python", *rest]
            case ["prepare", "sh", "deploy/restore.sh", file]:
                [command] = [
                    shlex.split(line)[7:] for line in RESTORE.splitlines() if line.startswith("setpriv")
                ]
                command = [word.replace("$file", file) for word in command]
            case _:
                raise AssertionError(line)
        ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, f"{line}: {ran.stdout}{ran.stderr}"
        return ran.stdout

    def site(name: str, is_migrated: bool = False) -> dict[str, str]:
        (tmp_path / name).mkdir()
        settings = {"DATABASE_URL": databases(is_migrated), "REDIS_URL": redis_url, "SECRET_KEY": "any"}
        path = {"PATH": f"{programs}:{os.environ['PATH']}", "AGON_VAR": str(tmp_path / name)}
        return plain_environment() | settings | path

    (tmp_path / "backups").mkdir()
    here = site("here", is_migrated=True)
    backup, verify, restore = of_compose("Back up and restore")
    assert "monday.backup: database.dump, 0 files" in run(backup, here)
    assert "monday.backup: sound" in run(verify, here)
    [upgrade_check] = of_compose("Upgrade")
    assert "pending migrations: 0" in run(upgrade_check, here)
    assert "is restored" in run(restore, site("restored"))
    rehearsed = site("rehearsed")
    again, chain, ratings = of_compose("Rehearse a restore")
    assert "is restored" in run(again, rehearsed)
    assert "days checked: 0" in run(chain, rehearsed)
    run(ratings, rehearsed)
    [going_back] = of_compose("Go back")
    assert "is restored" in run(going_back, site("back"))
