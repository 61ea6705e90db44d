"""Everything that boxes could leave on a machine, counted: before a test and after it the same must be there.

Whatever the test's workers and engine start is a descendant of the test's own process, which adopts orphans:
none can hide. Uids need no list of their own: they are drawn anew for each session and held by nobody but
processes, which are counted, and the files of containers, which are counted too.

What a killed engine has left of itself does not count. If Docker 20.10 dies between a container's birth and
its start, it forgets the container, and no client can end the shim that was to look after it, or remove the
folder of its description (data/containers); nothing runs there. Its files (data/overlay2) do count, but not
an empty layer that it had made for a container (…-init) and not yet the container's own.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sandbox.boxes import cgroup
from sandbox.leftovers import owner_of
from supervisor.children import descendants

from .engine import Engine


def snapshot(engine: Engine, folder: Path, workers: list[int]) -> dict[str, set[str]]:
    """What there is, by kind. `folder`: where these workers (pids) put what is for a while only."""
    assert engine.process is not None
    both = [Path(f"/proc/{pid}/mountinfo").read_text() for pid in (engine.process.pid, "self")]
    mounted = [line.split()[4] for text in both for line in text.splitlines()]
    there = {
        "containers": engine.containers(),
        "processes": set(processes(engine)),
        "mounts": {path for path in mounted if str(engine.folder) in path},
        "folders of the engine": {
            str(path) for pattern in ENGINE for path in engine.folder.glob(pattern)
        }.union(layers(engine)),
        "folders": {str(path) for path in folder.iterdir()},
        "control groups": set(groups(engine, workers)),
        "sockets": {line for line in sockets() if str(folder) in line},
    }
    forgotten = set(orphaned_shims()) - there["containers"]
    return {
        kind: {trace for trace in traces if not any(name in trace for name in forgotten)}
        for kind, traces in there.items()
    }


ENGINE = (
    "run/containerd/daemon/*.task/moby/*",
    "run/runtime-runc/moby/*",
)


def layers(engine: Engine) -> Iterator[str]:
    """The folders of layers, except those that a killed engine has lost, and never removes.

    Its database names them no longer, or not yet, or for a container that does not exist.
    """
    database = engine.folder / "data/image/overlay2/layerdb"
    containers = {path.name for path in engine.folder.glob("data/containers/*")}
    mounts = [path for path in database.glob("mounts/*/mount-id") if path.parent.name in containers]
    named = {path.read_text() for path in (*mounts, *database.glob("*/*/cache-id"))}
    for path in engine.folder.glob("data/overlay2/*"):
        if path.name.removesuffix("-init") in named:
            yield str(path)


def processes(engine: Engine) -> Iterator[str]:
    """Name and number of all below this process, but for the engine's own two and what has ended."""
    for pid in descendants(os.getpid()):
        try:
            name, _, state = Path(f"/proc/{pid}/stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if state.split()[0] != "Z" and name not in ("dockerd", "containerd"):
            yield f"{name} {pid} {shimmed(pid)}"


def orphaned_shims() -> Iterator[str]:
    """The containers, by identifier, of the shims in which nothing runs."""
    for pid in descendants(os.getpid()):
        if (container := shimmed(pid)) and not descendants(pid):
            yield container


def shimmed(pid: int) -> str:
    """The container that this process is the shim of; "" for other processes."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return ""
    return words[words.index("-id") + 1] if "containerd-shim" in words[0] and "-id" in words else ""


def bots(named: str = "") -> list[int]:
    """The processes below this one that run under a uid of their own, or those of one name among them."""
    found = []
    for pid in descendants(os.getpid()):
        with suppress(OSError):
            folder = Path(f"/proc/{pid}")
            if folder.stat().st_uid >= 1 << 30 and named in (folder / "comm").read_text():
                found.append(pid)
    return found


def groups(engine: Engine, workers: list[int]) -> Iterator[str]:
    """Of those workers, after whose pids they are named, and of the engine's containers."""
    for parent in cgroup.available():
        for folder in parent.glob("agon-*"):
            if (owner_of(folder.name) or "").split("-")[0] in map(str, workers):
                yield str(folder)
    yield from (str(path) for path in Path("/sys/fs/cgroup").glob("*/docker/*") if _of(path.name, engine))


def _of(container: str, engine: Engine) -> bool:
    return (engine.folder / "data" / "containers" / container).exists() or container in engine.seen


def sockets() -> list[str]:
    return Path("/proc/net/unix").read_text().splitlines()
