"""Starts the services that tests need for one run: PostgreSQL, Redis, a Docker engine.

Each is a context manager that yields the environment variables by which the tests find the service.

- Processes: a service has its own port or socket and its own data folder, so other servers of its kind on
  this machine are not affected. As root, PostgreSQL is started as the user `postgres`, which its package
  creates, because it refuses to run as root.
- Failure: a service is stopped at the end of its context. If this process is killed, so is the service, by
  the kernel (parent-death signal). If it cannot be started, Unavailable says why.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "platform"))

from agon.supervisor.children import die_with_parent  # noqa: E402  (standard library only, like this file)

PATIENCE = 60.0  # seconds for a service to answer
# The engine starts several Go programs for each container. They end too soon for garbage collection.
NO_COLLECTION = {"GOGC": "off", "GOMEMLIMIT": "1GiB"}


class Unavailable(Exception):
    """The service cannot be started here; the message says why."""


@contextmanager
def postgres(folder: Path) -> Iterator[dict[str, str]]:
    """Start a PostgreSQL server. Yields AGON_TEST_POSTGRES_URL. Raises Unavailable."""
    binaries = max(
        Path("/usr/lib/postgresql").glob("*/bin"), default=None, key=lambda path: float(path.parent.name)
    )
    if binaries is None:
        raise Unavailable("PostgreSQL is not installed")
    data, port = folder / "postgres", free_port()
    data.mkdir(mode=0o700)
    user = postgres_user()
    if user:
        os.chown(data, user.pw_uid, user.pw_gid)
    log = folder / "postgres.log"
    options = ["--username=agon", "--auth=trust", "--no-sync", "--encoding=UTF8"]
    run([binaries / "initdb", f"--pgdata={data}", *options], user, log)
    # The data need not survive a crash, so nothing has to be flushed to disk.
    not_durable = [f"--{setting}=off" for setting in ("fsync", "synchronous_commit", "full_page_writes")]
    server = [binaries / "postgres", "-D", data, "-p", port, "-h", "127.0.0.1", "-k", data, *not_durable]
    with running(server, log, user, stop=signal.SIGINT) as process:
        wait_until(lambda: postgres_is_ready(binaries, port), process, log)
        run([binaries / "createdb", "-h", "127.0.0.1", "-p", port, "-U", "agon", "agon"], user, log)
        yield {"AGON_TEST_POSTGRES_URL": f"postgres://agon@127.0.0.1:{port}/agon"}


def postgres_user() -> pwd.struct_passwd | None:
    return pwd.getpwnam("postgres") if os.geteuid() == 0 else None


def postgres_is_ready(binaries: Path, port: int) -> bool:
    probe = [str(binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    return subprocess.run(probe).returncode == 0


@contextmanager
def redis(folder: Path) -> Iterator[dict[str, str]]:
    """Start a Redis server. Yields AGON_TEST_REDIS_URL. Raises Unavailable."""
    if not shutil.which("redis-server"):
        raise Unavailable("Redis is not installed")
    port = free_port()
    server = ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", folder]
    with running(server, folder / "redis.log") as process:
        wait_until(lambda: port_is_open(port), process, folder / "redis.log")
        yield {"AGON_TEST_REDIS_URL": f"redis://127.0.0.1:{port}/0"}


@contextmanager
def docker(folder: Path, images: Path) -> Iterator[dict[str, str]]:
    """As root, start a Docker engine with its images in `images`, which is kept after the run; otherwise, use
    the machine's engine. Yields DOCKER_HOST if one was started. Raises Unavailable.
    """
    if os.geteuid() != 0:
        if not shutil.which("docker") or not engine_is_running():
            raise Unavailable("no Docker engine answers, and only root can start one")
        yield {}
        return
    if not shutil.which("dockerd"):
        raise Unavailable("Docker is not installed")
    images.mkdir(parents=True, exist_ok=True)
    host = f"unix://{folder}/docker.sock"
    paths = [f"--data-root={images}", f"--exec-root={folder}/docker", f"--pidfile={folder}/docker.pid"]
    network = ["--bridge=none", "--iptables=false", "--ip6tables=false"]
    # In its own mount namespace, so that its mounts disappear with it even if it is killed.
    engine = ["unshare", "--mount", "dockerd", *paths, f"--host={host}", *network]
    with running(engine, folder / "docker.log", environment=NO_COLLECTION) as process:
        wait_until(lambda: engine_is_running(host), process, folder / "docker.log")
        yield {"DOCKER_HOST": host}


def engine_is_running(host: str | None = None) -> bool:
    command = ["docker", *(["--host", host] if host else []), "version"]
    return subprocess.run(command, capture_output=True).returncode == 0


@contextmanager
def running(
    command: Sequence[object],
    log: Path,
    user: pwd.struct_passwd | None = None,
    stop: signal.Signals = signal.SIGTERM,
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command until the end of the block, then stop it; kill it after 15 s."""
    process = start(command, log, user, environment)
    try:
        yield process
    finally:
        process.send_signal(stop)
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def start(
    command: Sequence[object],
    log: Path,
    user: pwd.struct_passwd | None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    with open(log, "ab") as output:
        return subprocess.Popen(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            process_group=0,  # Ctrl-C is for the tests; the services are stopped after them
            preexec_fn=die_with_parent(os.getpid()),
            cwd="/",
            env={**os.environ, **(environment or {})},
            user=user.pw_uid if user else None,
            group=user.pw_gid if user else None,
            extra_groups=[] if user else None,
        )


def run(command: Sequence[object], user: pwd.struct_passwd | None, log: Path) -> None:
    if start(command, log, user).wait() != 0:
        raise Unavailable(f"{command[0]} failed: {log.read_text(errors='replace')}")


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until `condition` is true. Raises Unavailable after PATIENCE, or if the process ends."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if process.poll() is not None or time.monotonic() > deadline:
            tail = log.read_text(errors="replace")[-3000:]
            raise Unavailable(f"{log.stem} does not answer: {tail}")
        time.sleep(0.1)


def port_is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
