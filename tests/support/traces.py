"""A snapshot of everything that boxes could leak on a machine: it must be the same before and after a test.

All processes that the test's workers and engine start are descendants of the test process, which adopts
orphans, so none is missed. Uids are not listed: they are drawn for each session, and only processes and
files of containers have them, both of which are listed.

Some leaks of a killed engine do not count. If Docker 20.10 dies after it created a container and before it
started it, it forgets the container. Then no client can end its shim, in which nothing runs, or remove its
folder in data/containers. Its layers in data/overlay2 do count, except for an empty "-init" layer whose
container has no layer of its own yet.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agon.site.core.alive import alive_file
from agon.supervisor.children import descendants
from sandbox.boxes import cgroup
from sandbox.leftovers import owner_of

from .engine import Engine


def snapshot(engine: Engine, folder: Path, workers: list[int]) -> dict[str, set[str]]:
    """All traces, by kind. folder: the temporary folder of these workers (pids)."""
    assert engine.process is not None
    mount_tables = [Path(f"/proc/{pid}/mountinfo").read_text() for pid in (engine.process.pid, "self")]
    mounted = [line.split()[4] for text in mount_tables for line in text.splitlines()]
    traces_by_kind = {
        "containers": engine.containers(),
        "processes": set(processes(engine)),
        "mounts": {path for path in mounted if str(engine.folder) in path},
        "folders of the engine": {
            str(path) for pattern in ENGINE for path in engine.folder.glob(pattern)
        }.union(layers(engine)),
        # Not the empty files by which a process says that it is alive: the next one of its name has the same.
        "folders": {str(path) for path in folder.iterdir() if not path.match(alive_file("*").name)},
        "control groups": set(groups(engine, workers)),
        "sockets": {line for line in sockets() if str(folder) in line},
    }
    forgotten = set(orphaned_shims()) - traces_by_kind["containers"]
    return {
        kind: {trace for trace in traces if not any(name in trace for name in forgotten)}
        for kind, traces in traces_by_kind.items()
    }


# Folders of the engine for running tasks.
ENGINE = (
    "run/containerd/daemon/*.task/moby/*",
    "run/runtime-runc/moby/*",
)


def layers(engine: Engine) -> Iterator[str]:
    """The folders of layers, except for those that a killed engine has forgotten and never removes.

    These are not in its database, or only as layers of containers that do not exist.
    """
    database = engine.folder / "data/image/overlay2/layerdb"
    containers = {path.name for path in engine.folder.glob("data/containers/*")}
    mounts = [path for path in database.glob("mounts/*/mount-id") if path.parent.name in containers]
    named = {path.read_text() for path in (*mounts, *database.glob("*/*/cache-id"))}
    for path in engine.folder.glob("data/overlay2/*"):
        if path.name.removesuffix("-init") in named:
            yield str(path)


def processes(engine: Engine) -> Iterator[str]:
    """Name and pid of every descendant of this process, except for zombies, dockerd and containerd."""
    for pid in descendants(os.getpid()):
        try:
            name, _, state = Path(f"/proc/{pid}/stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if state.split()[0] != "Z" and name not in ("dockerd", "containerd"):
            yield f"{name} {pid} {container_of_shim(pid)}"


def orphaned_shims() -> Iterator[str]:
    """The ids of containers whose shim has no children."""
    for pid in descendants(os.getpid()):
        if (container := container_of_shim(pid)) and not descendants(pid):
            yield container


def container_of_shim(pid: int) -> str:
    """The id of the container whose shim this process is; "" for other processes."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return ""
    return words[words.index("-id") + 1] if "containerd-shim" in words[0] and "-id" in words else ""


def bots(named: str = "") -> list[int]:
    """The descendants of this process with the uid of a session. named: a part of their names."""
    pids = []
    for pid in descendants(os.getpid()):
        with suppress(OSError):
            folder = Path(f"/proc/{pid}")
            if folder.stat().st_uid >= 1 << 30 and named in (folder / "comm").read_text():
                pids.append(pid)
    return pids


def groups(engine: Engine, workers: list[int]) -> Iterator[str]:
    """The control groups of these workers, named after their pids, and of the engine's containers."""
    for parent in cgroup.available():
        for folder in parent.glob("agon-*"):
            if (owner_of(folder.name) or "").split("-")[0] in map(str, workers):
                yield str(folder)
    yield from (
        str(path) for path in Path("/sys/fs/cgroup").glob("*/docker/*") if _is_of_engine(path.name, engine)
    )


def _is_of_engine(container: str, engine: Engine) -> bool:
    return (engine.folder / "data" / "containers" / container).exists() or container in engine.seen


def sockets() -> list[str]:
    return Path("/proc/net/unix").read_text().splitlines()
