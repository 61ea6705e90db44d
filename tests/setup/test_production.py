"""What docker-compose.yml and deploy/ ask for exists and is explained."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = (ROOT / "docker-compose.yml").read_text()


WORKER = (ROOT / "compose.worker.yml").read_text()


@pytest.mark.parametrize("compose", [COMPOSE, WORKER], ids=["site", "worker"])
def test_every_variable_of_the_compose_file_is_explained_at_its_top(compose):
    header = compose.partition("\nname:")[0]
    explained = set(re.findall(r"^#   ([A-Z_]+)\b", header, re.MULTILINE))
    explained |= set(re.findall(r"[A-Z_]{4,}", header.partition("as in docker-compose.yml:")[2]))
    used = set(re.findall(r"\$\{([A-Z_]+)", compose))
    assert used <= explained
    assert compose is WORKER or used == explained


@pytest.mark.parametrize("compose", [COMPOSE, WORKER], ids=["site", "worker"])
def test_every_setting_of_the_compose_file_is_one_that_agon_reads(compose):
    given = set(re.findall(r"^    ([A-Z_]+):", compose.partition("\nservices:")[0], re.MULTILINE))
    given.remove("TMPDIR")  # which Python reads
    folders = (ROOT / "platform" / "agon", ROOT / "sandbox")
    sources = [source for folder in folders for source in folder.rglob("*.py")]
    code = "".join(source.read_text() for source in sources)
    assert given
    assert {name for name in given if f'"{name.removesuffix("_FILE")}"' not in code} == set()


# Settings that a production site has no use for, or that its image or its services set themselves.
NOT_PASSED_ON = {
    "AGON_CA": "of machines elsewhere: the services of one talk in a network of their own",
    "HOST": "of `agon serve`: the service `web` says where it listens",
    "PORT": "of `agon serve`: the service `web` says where it listens",
    "DEBUG": "never on a public site",
    "STATIC_ROOT": "set by the image, which has collected the files",
    "ARCHIVE_KEY": "for `archives` and `signer` alone, by a file",
    "AGON_SANDBOX_SOCKETS": "for `prepare` and `opener` alone",
    "DOCKER_HOST": "only `opener` and `prepare` reach the engine, by its socket",
    "AGON_GAMES": "a folder of the image: put games into it, or mount one, in a file of one's own",
    "AGON_FORMATS": "a folder of the image: put formats into it, or mount one, in a file of one's own",
    "AGON_LOCAL_HOOKS": "for development alone",
    "AGON_SITE": "of the command line at another place",
    "AGON_TOKEN": "of the command line at another place",
}


def test_every_setting_is_passed_on_or_not_for_a_reason():
    listed = (ROOT / "docs" / "reference" / "settings.md").read_text()
    settings = set(re.findall(r"^\| `([A-Z_]+)` \|", listed, re.MULTILINE))
    assert len(settings) > 40
    environment = COMPOSE.partition("  environment: &environment\n")[2].partition("\n  secrets:")[0]
    given = {name.removesuffix("_FILE") for name in re.findall(r"^    ([A-Z_]+):", environment, re.MULTILINE)}
    assert given & NOT_PASSED_ON.keys() == set()
    assert settings - given == NOT_PASSED_ON.keys()


def test_every_service_that_stays_has_a_health_check():
    without = {service for service in SERVICES if not value(service, "healthcheck")}
    assert without == {"prepare", "agon"}  # `agon` runs one command, such as a backup
    for service in ("workers", "scheduler", "archives", "signer"):
        assert "agon.supervisor.alive" in value(service, "healthcheck")


def test_no_log_of_a_container_grows_without_limit():
    for service in SERVICES:
        assert re.search(r"max-size: \d+m", value(service, "logging")), service
        assert re.search(r"max-file: \"\d\"", value(service, "logging")), service


def blocks(text: str, begin: str) -> dict[str, str]:
    """The lines of each block whose name stands after `begin`."""
    by_name: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        begins = re.match(rf"{begin}(\w+):(?: &\w+)?$", line)
        if begins or not line.startswith(" "):
            name = begins[1] if begins else ""
        elif name:
            by_name.setdefault(name, []).append(line)
    return {name: "\n".join(lines) for name, lines in by_name.items()}


SERVICES_TEXT = COMPOSE.partition("\nservices:\n")[2].partition("\nvolumes:")[0]
SERVICES = blocks(SERVICES_TEXT, "  ")
BLOCKS = blocks(COMPOSE.partition("\nservices:\n")[0], "x-") | SERVICES
PROXY = '"10002:10001" # agon-proxy'  # in numbers, because the names are those of our image
OURS = (
    "prepare",
    "web",
    "workers",
    "scheduler",
    "archives",
    "signer",
    "agon",
)  # those that know the database


def value(service: str, key: str) -> str:
    """What the file says for a key of a service, in the service itself or in what it is merged with."""
    place: str | None = service
    while place is not None:
        block = BLOCKS[place]
        if matched := re.search(rf"^( +){key}:(.*(?:\n\1 .*)*)", block, re.MULTILINE):
            return matched[2].strip()
        merged = re.search(r"<<: \*(\w+)", block)
        place = merged[1] if merged else None
    return ""


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_has_no_privilege_and_writes_nowhere_but_to_its_folders(service):
    assert value(service, "cap_drop") == "[ALL]"
    assert value(service, "security_opt") == '["no-new-privileges:true"]'
    assert value(service, "read_only") == "true"
    assert value(service, "privileged") == ""
    assert bool(value(service, "cap_add")) == (service in ("prepare", "proxy"))


def test_the_proxy_may_listen_and_nothing_more():
    assert value("proxy", "cap_add").startswith("[NET_BIND_SERVICE] ")
    assert value("proxy", "secrets") == value("proxy", "group_add") == ""
    assert value("proxy", "profiles") == "[proxy]"


def test_each_service_has_a_user_of_its_own_which_exists():
    users = [value(service, "user") for service in SERVICES]
    assert len({*users}) == len(SERVICES)
    assert [service for service in SERVICES if value(service, "user") == "root"] == ["prepare"]
    made = re.search(r"for name in (.*); do useradd", (ROOT / "deploy" / "Dockerfile").read_text())
    assert {f"agon-{name}" for name in made[1].split()} == {*users} - {"root", "postgres", "redis", PROXY}
    assert " --uid 10002 --gid agon agon-proxy " in (ROOT / "deploy" / "Dockerfile").read_text()


def test_only_what_takes_no_requests_and_holds_no_socket_has_the_key_that_signs():
    assert {service for service in SERVICES if "archive_key" in value(service, "secrets")} == {
        "archives",
        "signer",
    }
    assert {service for service in SERVICES if "ARCHIVE_KEY_FILE" in value(service, "environment")} == {
        "archives",
        "signer",
    }
    assert not value("archives", "ports") + value("signer", "ports")


def test_only_the_preparation_and_what_opens_boxes_reach_the_engine():
    reach = [service for service in SERVICES if "docker.sock" in value(service, "volumes")]
    assert reach == ["prepare", "opener"]
    assert [service for service in SERVICES if value(service, "pid")] == ["opener"]
    assert [service for service in SERVICES if value(service, "group_add")] == ["opener"]
    shares = [service for service in SERVICES if "opener:/run/agon" in value(service, "volumes")]
    assert shares == ["workers", "opener"]


def test_what_opens_boxes_has_no_network_no_secret_and_no_file_of_the_site():
    assert value("opener", "network_mode") == "none"
    assert value("opener", "secrets") == ""
    assert "DATABASE_URL" not in value("opener", "environment")
    assert "${DATA:-/var/lib/agon}/sockets:" in value("opener", "volumes")
    assert "${DATA:-/var/lib/agon}:" not in value("opener", "volumes")


def test_every_service_of_ours_has_what_redis_and_postgres_ask_for():
    assert set(OURS) <= SERVICES.keys()
    for service in OURS:
        assert {"postgres_password", "redis_password"} <= set(re.findall(r"\w+", value(service, "secrets")))


def test_every_command_of_the_preparation_exists():
    scripts = [(ROOT / "deploy" / name).read_text() for name in ("prepare.sh", "folders.sh", "restore.sh")]
    script = "".join(scripts)
    assert set(re.findall(r"deploy/\w+\.sh", script)) <= {
        f"deploy/{path.name}" for path in (ROOT / "deploy").iterdir()
    }
    wanted = set(re.findall(r"manage\.py (\w+)", script))
    assert wanted
    assert wanted <= get_commands().keys()


def test_nothing_that_a_site_runs_is_kept_out_of_its_image():
    """Only what is named gets into it."""
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line.startswith("!")}
    run = {
        "games",
        "sandbox",
        "platform",
        "templates",
        "static",
        "locale",
        "deploy",
        "docs",
        "vendor",
        "manage.py",
    }
    assert run <= kept


def test_what_the_image_has_when_it_is_set_up_is_enough_to_install_the_project(tmp_path):
    """Before its code is there: the project's metadata names files and folders, too."""
    early = (ROOT / "deploy" / "Dockerfile").read_text().partition("bootstrap.py\n\nCOPY . .")[0]
    kept = (ROOT / ".dockerignore").read_text().split()
    for names, target in re.findall(r"^COPY (.+) (\S+)$", early, re.MULTILINE):
        for name in names.split():
            assert f"!{name.split('/')[0]}" in kept
            copied = tmp_path / target / (Path(name).name if target.endswith("/") else "")
            copied.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, copied)
    made = re.search(r"^RUN mkdir (.*) \\$", early, re.MULTILINE)
    for name in made[1].split() if made else ():
        (tmp_path / name).mkdir()
    install = "from hatchling.build import build_editable; build_editable('.')"
    ran = subprocess.run([sys.executable, "-c", install], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_the_image_has_the_client_of_the_database_s_version():
    """Without it, or with an earlier one, there are no backups."""
    [server] = re.findall(r"image: postgres:(\d+)", COMPOSE)
    assert f" postgresql-client-{server} " in (ROOT / "deploy" / "Dockerfile").read_text()


def test_the_commands_of_an_operator_are_not_started_and_do_not_fill_an_empty_site():
    assert value("agon", "profiles") == "[tools]"
    assert "prepare" not in value("agon", "depends_on")
    assert value("agon", "entrypoint") == "agon"


def test_a_restore_makes_the_folders_as_the_preparation_does():
    for name in ("prepare.sh", "restore.sh"):
        assert "\n. deploy/folders.sh\n" in (ROOT / "deploy" / name).read_text()


@pytest.mark.parametrize("script", ["prepare.sh", "prepare-worker.sh"])
def test_a_preparation_beside_running_services_leaves_their_temporary_files(tmp_path, script):
    """`docker compose up` prepares again, as when there are to be more workers."""
    in_use = tmp_path / "agon-build" / "source" / "bot.c"
    in_use.parent.mkdir(parents=True)
    in_use.touch()
    os.utime(in_use, (0, 0))  # as of an upload
    text = (ROOT / "deploy" / "folders.sh").read_text()
    [function] = re.findall(r"^(\w+\(\) \{.*?^\}$)", text, re.MULTILINE | re.DOTALL)
    [removal] = [line for line in (ROOT / "deploy" / script).read_text().splitlines() if "temporary" in line]
    command = ["sh", "-ec", f"{function}\n{removal}"]
    ran = subprocess.run(command, env=os.environ | {"TMPDIR": str(tmp_path)}, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr, in_use.exists()) == (0, "", True)
