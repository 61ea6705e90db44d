"""The stack of docker-compose.yml, brought up by compose itself for the time of a test.

Its images are made here, from Debian's packages, because no registry can be reached: see images/. Their
layers stay in the engine's cache, so that a later run makes only what has changed. Everything else
(containers, networks, volumes, files) has the name of the run and is removed with it.
"""

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from agon.client import Site
from sandbox.backends import docker_images
from tests.support.processes import ROOT
from tests.support.visiting import PASSWORD, Visitor

COMPOSE = [str(Path(sys.executable).parent / "docker-compose"), "--progress", "quiet"]
HERE = Path(__file__).parent
IMAGES = HERE / "images"
STAYING = {"postgres", "redis", "opener", "web", "workers", "scheduler", "archives", "signer"}
PATIENCE = 300.0  # seconds
CANARY_SECONDS = 60
METRICS_TOKEN = "of-a-Prometheus-elsewhere"


class Project:
    """A project of compose, by the files that operators use and one that says what is different in a test.

    services: those that stay. settings: what an operator sets.
    """

    services: frozenset[str]

    def __init__(self, name: str, folder: Path, files: Sequence[Path], settings: dict[str, str]) -> None:
        """folder: for its secrets and files; a short path, because sockets are in it."""
        engine = Path(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://"))
        self.name, self.data, self.secrets, self.files = name, folder / "data", folder / "secrets", files
        self.environment = (
            os.environ
            | {
                "DOCKER_GID": str(engine.stat().st_gid),
                "ENGINE": str(engine),
                "SECRETS": str(self.secrets),
                "BASE": docker_images.LOCAL_BASE,
                "DATA": str(self.data),
            }
            | settings
        )
        self.data.mkdir(parents=True)

    def compose(self, *words: str, expected: int = 0, given: str | None = None) -> str:
        """What `docker compose` with these words prints; if it is expected to fail, with its errors."""
        files = [word for file in self.files for word in ("--file", str(file))]
        ran = subprocess.run(
            [*COMPOSE, "--project-name", self.name, *files, *words],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            input=given,
            timeout=900,
        )
        assert ran.returncode == expected, f"{' '.join(words)}:\n{(ran.stdout + ran.stderr)[-6000:]}"
        return ran.stdout + (ran.stderr if expected else "")

    def up(self, *words: str) -> None:
        """Start it as operators do, and wait until every service is healthy."""
        self.compose("up", "--detach", "--no-build", *words)
        self.until_healthy()

    def until_healthy(self) -> None:
        until(lambda: self.health() == dict.fromkeys(self.services, "healthy"), self.said)

    def health(self) -> dict[str, str]:
        """What compose says of each service that is there; the worst of its containers counts."""
        rows = sorted(self.containers(), key=lambda row: row["Health"] == "healthy", reverse=True)
        return {row["Service"]: row["Health"] for row in rows if row["Service"] in self.services}

    def containers(self) -> list[dict[str, Any]]:
        lines = self.compose("ps", "--all", "--format", "json").splitlines()
        return [json.loads(line) for line in lines]

    def container(self, service: str) -> str:
        """The id of the service's container."""
        [identifier] = [row["ID"] for row in self.containers() if row["Service"] == service]
        return str(identifier)

    def said(self) -> str:
        states = [(row["Service"], row["State"], row["Health"], row["ExitCode"]) for row in self.containers()]
        return f"{states}\n{self.compose('logs', '--no-color', '--tail', '40')}"

    def remove(self) -> None:
        """Everything of it, with the boxes that bots ran in."""
        self.compose("--profile", "*", "down", "--volumes", "--remove-orphans", "--timeout", "5")
        shutil.rmtree(self.data, ignore_errors=True)
        shutil.rmtree(self.secrets, ignore_errors=True)


class Stack(Project):
    """A site, by docker-compose.yml and the files `more`."""

    services = frozenset(STAYING)

    def __init__(self, name: str, folder: Path, port: int, *more: Path, **settings: str) -> None:
        self.url = f"http://127.0.0.1:{port}"
        own = {
            "SITE_URL": self.url,
            "LISTEN": f"127.0.0.1:{port}",
            "PROXIES": "0",
            "AGON_CANARY_SECONDS": str(CANARY_SECONDS),
            "AGON_METRICS_TOKEN": METRICS_TOKEN,
        }
        files = [ROOT / "docker-compose.yml", *more, HERE / "compose.test.yml"]
        super().__init__(name, folder, files, own | settings)
        subprocess.run(["sh", ROOT / "deploy/secrets.sh", self.secrets], check=True, capture_output=True)

    def kill(self, service: str) -> None:
        """Kill the main process of a service, as the kernel does that runs out of memory."""
        os.kill(int(inspected(self.container(service), "{{.State.Pid}}")), signal.SIGKILL)

    def restarts(self, service: str) -> int:
        return int(inspected(self.container(service), "{{.RestartCount}}"))

    def newcomer(self, name: str) -> Site:
        """The client of a person who has just signed up."""
        with Visitor(self.url) as visitor:
            visitor.sign_up(name)
            return Site(self.url, visitor.token(PASSWORD, "read", "submit"))

    def manage(self, *words: str) -> str:
        """What a command of Django prints, in the container of operators' commands."""
        return self.compose("run", "--rm", "--no-TTY", "--entrypoint", "python", "agon", "manage.py", *words)

    def agon(self, *words: str, expected: int = 0) -> str:
        return self.compose("run", "--rm", "--no-TTY", "agon", *words, expected=expected)

    def sql(self, query: str) -> list[str]:
        """The rows that PostgreSQL answers, as text."""
        asked = ["exec", "--no-TTY", "postgres", "psql", "--username=agon", "--tuples-only", "--no-align"]
        return self.compose(*asked, "--command", query).split()


class Machine(Project):
    """A machine that plays for a site, by compose.worker.yml."""

    services = frozenset({"opener", "workers"})

    def __init__(self, name: str, folder: Path, settings: dict[str, str]) -> None:
        files = [ROOT / "compose.worker.yml", HERE / "compose.worker.test.yml"]
        super().__init__(name, folder, files, settings)
        self.secrets.mkdir(mode=0o700)

    def cut_off(self) -> None:
        """Take the network from its workers, of which the site hears nothing any more."""
        for worker in self._workers():
            docker("network", "disconnect", f"{self.name}_default", worker)

    def connect(self) -> None:
        for worker in self._workers():
            docker("network", "connect", f"{self.name}_default", worker)

    def _workers(self) -> list[str]:
        return [row["ID"] for row in self.containers() if row["Service"] == "workers"]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def until(condition: Callable[[], object], said: Callable[[], str], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, said()
        time.sleep(0.5)


def inspected(container: str, what: str) -> str:
    return docker("inspect", "--format", what, container).strip()


def docker(*words: str, folder: Path | None = None) -> str:
    ran = subprocess.run(
        ["docker", *words],
        cwd=folder,
        env=os.environ | {"DOCKER_BUILDKIT": "0"},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert ran.returncode == 0, f"docker {' '.join(words)}:\n{(ran.stdout + ran.stderr)[-6000:]}"
    return ran.stdout


def build_images(scratch: Path) -> None:
    """Those that compose.test.yml names. scratch: an empty folder."""
    with closing(docker_images.connect()) as client:
        debian = docker_images.make_local_base(client)
    index = subprocess.run(["pip3", "config", "get", "global.index-url"], capture_output=True, text=True)
    for path in IMAGES.iterdir():
        shutil.copy(path, scratch)
    certificates = os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile
    assert certificates, "this machine has no certificates of authorities"
    shutil.copy(certificates, scratch / "certificates.crt")
    _build(
        "agon-stack-base",
        scratch,
        "base.Dockerfile",
        f"DEBIAN={debian}",
        f"PIP_INDEX_URL={index.stdout.strip()}",
    )
    _build("agon-stack-services", scratch, "services.Dockerfile", "BASE=agon-stack-base")
    _build("agon-stack-site", ROOT, "deploy/Dockerfile", "BASE=agon-stack-base")


def _build(name: str, folder: Path, file: str, *arguments: str) -> None:
    options: Sequence[str] = [word for argument in arguments for word in ("--build-arg", argument)]
    docker(
        "build", "--quiet", "--network", "host", "--tag", name, "--file", file, *options, ".", folder=folder
    )
