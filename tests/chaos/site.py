"""The site that is shaken: what docker-compose.yml starts, as processes of this machine, and a second
machine.

- `main`: PostgreSQL, Redis, the web server, the workers of two cores and a builder, the scheduler, what
signs.
- `far`: one more worker, whose clock can be set, and whose network is its own.
- `boxed`: a worker with a Docker engine of its own, if there is one with the image (DOCKER_HOST).

The files of both are on a small file system in memory, those for temporary files on another one. Every
connection to PostgreSQL and Redis goes through a proxy of its machine.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg2

from scripts import services
from tests.support.engine import Engine
from tests.support.processes import ROOT

from .processes import Process
from .proxy import Proxy

MACHINES = ("main", "far", "boxed")
COMPILER = shutil.which("gcc")
SIZE, INODES = "384m", 60_000
PREPARE = """
import sys
from dataclasses import replace
from django.contrib.auth.models import Group
from django.core.management import call_command
from agon.site.accounts.models import User
from agon.site.tokens.services import issue
from games.core import manifest
info = manifest.load("honest_rps")
manifest.load, manifest.slugs = lambda slug: replace(info, house=info.house[:4]), lambda: ("honest_rps",)
call_command("migrate", verbosity=0, interactive=False)
call_command("install_house_bots", verbosity=0)
ada = User.objects.create_user("ada", password="correct horse battery")
ada.groups.add(Group.objects.get(name="Organizers"))
print("token", issue(ada, "laptop", ["read", "submit", "organize"])[1])
"""


class ChaosSite:
    """folder: an empty one, which is only for it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.logs = folder, folder / "logs"
        self.data, self.temporary = folder / "data", folder / "temporary"
        for subfolder in (self.logs, self.data, self.temporary):
            subfolder.mkdir()
        folder.chmod(0o711)
        self.database_port, self.redis_port, self.web_port = (services.free_port() for _ in range(3))
        self.url = f"http://127.0.0.1:{self.web_port}"
        self.to_database = {machine: Proxy(self.database_port) for machine in MACHINES}
        self.to_redis = {machine: Proxy(self.redis_port) for machine in MACHINES}
        self.clock = folder / "clock"
        self.set_clock(0)
        self.processes: dict[str, Process] = {}
        self.engine = Engine(folder / "engine") if os.environ.get("DOCKER_HOST") else None
        self.token = ""

    @contextmanager
    def running(self) -> Iterator[None]:
        """Start everything, and stop it at the end."""
        for path, options in (
            (self.data, f"size={SIZE},nr_inodes={INODES}"),
            (self.temporary, "size=64m,mode=1777"),
        ):
            subprocess.run(["mount", "-t", "tmpfs", "-o", options, "agon-chaos", path], check=True)
        try:
            if self.engine:
                self.engine.folder.mkdir()
                self.engine.start()
                self.engine.load_image()
            self._add_services()
            self._wait(self._is_up)
            self.token = self.manage("shell", "-v0", "-c", PREPARE).split("token ")[1].strip()
            self._add_site()
            self._wait(self._serves)
            yield
        finally:
            for process in reversed(self.processes.values()):
                process.end()
            if self.engine and self.engine.process:
                self.engine.end(signal.SIGTERM)
            for path in (self.data, self.temporary):
                subprocess.run(["umount", "--lazy", path], check=True)

    def _add_services(self) -> None:
        user = services.postgres_user()
        binaries = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
        cluster = self.folder / "postgres"
        cluster.mkdir(mode=0o700)
        if user:
            os.chown(cluster, user.pw_uid, user.pw_gid)
        made = [binaries / "initdb", "-D", cluster, "-U", "agon", "-A", "trust", "--no-sync", "-E", "UTF8"]
        services.run(made, user, self.logs / "initdb.log")
        # It survives kills of its processes without fsync, as only the machine's end would lose what it
        # wrote.
        server = [
            binaries / "postgres",
            "-D",
            cluster,
            "-p",
            self.database_port,
            "-h",
            "127.0.0.1",
            "-k",
            cluster,
        ]
        options = ["-c", "fsync=off", "-c", "max_connections=60"]
        ids = (user.pw_uid, user.pw_gid) if user else None
        self._add("postgres", [*server, *options], {}, ids)
        redis = [
            "redis-server",
            "--port",
            self.redis_port,
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            self.folder,
        ]
        self._add("redis", redis, {})

    def _add_site(self) -> None:
        for name, words in {
            "web": f"agon.supervisor.public_web 127.0.0.1 {self.web_port} 2",
            "workers": "agon.supervisor.workers",
            "scheduler": "agon.supervisor.consumer scheduler",
            "archives": "agon.supervisor.consumer worker archives archives",
            "signer": "agon.supervisor.consumer worker signer signing",
        }.items():
            self._add(name, [sys.executable, "-m", *words.split()], self.environment("main"))
        far = "agon.supervisor.consumer worker worker-0 interactive,bulk"
        environment = self.environment("far") | {"AGON_CORE": "0"} | self._own_clock()
        self._add("far", [sys.executable, "-m", *far.split()], environment)
        if self.engine:
            boxed = {"AGON_SANDBOX": "docker", "DOCKER_HOST": self.engine.host, "AGON_CORE": "1"}
            self._add("boxed", [sys.executable, "-m", *far.split()], self.environment("boxed") | boxed)

    def _own_clock(self) -> dict[str, str]:
        """Variables with which a program sees the clock that `set_clock` sets; none without a compiler."""
        if not COMPILER:
            return {}
        library = self.folder / "clock.so"
        source = Path(__file__).with_name("clock.c")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
        return {"LD_PRELOAD": str(library), "CHAOS_CLOCK": str(self.clock)}

    def _add(
        self,
        name: str,
        command: list[object],
        environment: dict[str, str],
        user: tuple[int, int] | None = None,
    ) -> None:
        environment = environment or {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        self.processes[name] = Process(name, command, environment, self.logs, user)

    def environment(self, machine: str) -> dict[str, str]:
        """The settings of the site on this machine."""
        return {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
            "PYTHONUNBUFFERED": "1",
            "DJANGO_SETTINGS_MODULE": "agon.site.settings",
            "DATABASE_URL": f"postgres://agon@127.0.0.1:{self.to_database[machine].port}/postgres",
            "REDIS_URL": f"redis://127.0.0.1:{self.to_redis[machine].port}/0",
            "SECRET_KEY": "of a site that lives for minutes",
            "SITE_URL": "http://127.0.0.1",
            "TRUSTED_PROXY_COUNT": "0",
            "TMPDIR": str(self.temporary),
            "AGON_VAR": str(self.data),
            "AGON_MACHINE": machine,
            "AGON_SANDBOX": "bubblewrap",
            "AGON_LADDER_MATCHES": "12",
            "AGON_FREE_MIB": "32",
            "AGON_CANARY_SECONDS": "0",
        }

    def look_after(self) -> None:
        for process in self.processes.values():
            process.look_after()

    def set_clock(self, seconds: int) -> None:
        """Let the clock of `far` be this much ahead."""
        new = self.clock.with_suffix(".new")
        new.write_text(f"{seconds}\n")
        os.replace(new, self.clock)

    def heal(self) -> None:
        """Nothing is wrong any more, and everything is started that is not there."""
        self.set_clock(0)
        for proxy in (*self.to_database.values(), *self.to_redis.values()):
            proxy.heal()
        for process in self.processes.values():
            process.held = False

    def manage(self, *words: str) -> str:
        """What a command of Django prints. Raises CalledProcessError, with what it said, if it fails."""
        ran = subprocess.run(
            [sys.executable, ROOT / "manage.py", *words],
            env=self.environment("main"),
            capture_output=True,
            text=True,
            timeout=600,
        )
        if ran.returncode:
            raise RuntimeError(f"manage.py {words[0]} failed:\n{ran.stdout[-3000:]}{ran.stderr[-3000:]}")
        return ran.stdout

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """What the database answers, past every proxy."""
        connection = psycopg2.connect(
            host="127.0.0.1", port=self.database_port, user="agon", dbname="postgres"
        )
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(query)
                return list(cursor.fetchall())
        finally:
            connection.close()

    def count(self, query: str) -> int:
        return int(str(self.rows(query)[0][0]))

    def _is_up(self) -> bool:
        try:
            return self.rows("SELECT 1") == [(1,)] and services.port_is_open(self.redis_port)
        except psycopg2.Error:
            return False

    def _serves(self) -> bool:
        return services.port_is_open(self.web_port)

    def _wait(self, is_there: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 120
        while not is_there():
            if time.monotonic() > deadline:
                raise RuntimeError("".join(log.read_text()[-2000:] for log in self.logs.glob("*.log")))
            self.look_after()
            time.sleep(0.2)
