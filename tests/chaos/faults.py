"""What can go wrong with a site. Each fault breaks something for a while, and mends it again."""

import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from redis import Redis, RedisError

from agon.site.core.db.leases import LEASE

from .site import COMPILER, ChaosSite

HOUR = 3600
KILLED = ("web", "workers", "scheduler", "archives", "signer", "far", "postgres", "redis")

Fault = Callable[[ChaosSite, random.Random], Iterator[float]]


def kill_a_process(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    """SIGKILL to one process of the site, whichever: a worker, its supervisor, a web process, what a bot
    runs in.
    """
    process = site.processes[chance.choice(KILLED)]
    if tree := process.tree():
        process.send(signal.SIGKILL, [chance.choice(tree)])
    yield 0.0


def kill_a_player(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    """SIGKILL to a process below the workers: a worker, or a box."""
    process = site.processes[chance.choice(("workers", "far"))]
    if below := process.tree()[1:]:
        process.send(signal.SIGKILL, [chance.choice(below)])
    yield 0.0


def stop_postgres(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    """A fast or an immediate shutdown, as of a machine that is rebooted."""
    process = site.processes["postgres"]
    process.held = True
    process.send(chance.choice((signal.SIGINT, signal.SIGQUIT)), process.tree()[:1])
    yield chance.uniform(1, 8)
    process.held = False


def stop_redis(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    process = site.processes["redis"]
    process.held = True
    process.send(signal.SIGKILL)
    yield chance.uniform(1, 8)
    process.held = False


def empty_redis(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    with suppress(RedisError), Redis(port=site.redis_port, socket_timeout=1) as redis:
        redis.flushall()
    yield 0.0


def hang_a_process(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    """SIGSTOP to all of a service for a few seconds, the database included."""
    process = site.processes[chance.choice(("postgres", "redis", "web", "scheduler", "workers"))]
    stopped = process.tree()
    process.send(signal.SIGSTOP, stopped)
    yield chance.uniform(2, 8)
    process.send(signal.SIGCONT, stopped)


def sleep_beyond_the_lease(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    """A worker stops in the middle of whatever it does, and goes on when its lease is over."""
    process = site.processes["far"]
    stopped = process.tree()
    process.send(signal.SIGSTOP, stopped)
    yield LEASE.total_seconds() + chance.uniform(3, 8)
    process.send(signal.SIGCONT, stopped)


def cut_the_network(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    """A machine loses its database or its broker: connections are refused, or packets get lost."""
    machine = chance.choice(("main", "far", "boxed"))
    proxy = chance.choice((site.to_database[machine], site.to_redis[machine]))
    chance.choice((proxy.cut, proxy.stall))()
    yield chance.uniform(2, 20)
    proxy.heal()


def hang_the_engine(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    """The Docker engine stops in the middle of what it does, and goes on, perhaps when the lease is over."""
    assert site.engine
    assert site.engine.process
    site.engine.process.send_signal(signal.SIGSTOP)
    yield chance.uniform(2, LEASE.total_seconds() + 5)
    site.engine.process.send_signal(signal.SIGCONT)


def restart_the_engine(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    """The Docker engine is killed with all that it knows, and starts again."""
    assert site.engine
    assert site.engine.process
    site.engine.process.send_signal(signal.SIGCONT)
    site.engine.restart(chance.choice((signal.SIGKILL, signal.SIGTERM)))
    yield 0.0


def set_the_clock(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    """The clock of a worker jumps by an hour, and back."""
    site.set_clock(chance.choice((HOUR, -HOUR)))
    yield chance.uniform(2, 20)
    site.set_clock(0)


def fill_the_disk(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    """No byte is left where the files are, or where temporary files are."""
    with _removed(chance.choice((site.data, site.temporary)) / "full") as file:
        with suppress(OSError), open(file, "wb", buffering=0) as full:
            while full.write(b"\0" * (1 << 20)):
                pass
        yield chance.uniform(3, 12)


def use_up_the_inodes(site: ChaosSite, chance: random.Random) -> Iterator[float]:
    """There is room, but not for one more file."""
    folder = site.data / "many"
    folder.mkdir(exist_ok=True)
    made: list[Path] = []
    with suppress(OSError):
        while True:
            made.append(folder / str(len(made)))
            made[-1].touch()
    yield chance.uniform(3, 12)
    for path in made:
        path.unlink(missing_ok=True)


@contextmanager
def _removed(file: Path) -> Iterator[Path]:
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


OF_THE_ENGINE: tuple[Fault, ...] = (hang_the_engine, restart_the_engine)
FAULTS: tuple[Fault, ...] = (
    kill_a_process,
    kill_a_player,
    stop_postgres,
    stop_redis,
    empty_redis,
    hang_a_process,
    sleep_beyond_the_lease,
    cut_the_network,
    *((set_the_clock,) if COMPILER else ()),
    fill_the_disk,
    use_up_the_inodes,
)


class Faults:
    """Makes faults, up to `most` at a time, in an order that the seed decides. Each kind comes about equally
    often.
    """

    most = 2
    pause = (0.5, 4.0)  # seconds between the beginnings of two

    def __init__(self, site: ChaosSite, seed: int, say: Callable[[str], None]) -> None:
        self.site, self.chance, self.say = site, random.Random(seed), say
        self.made: dict[str, int] = {}
        self._bag: list[Fault] = []
        self._running: dict[str, tuple[Iterator[float], float]] = {}
        self._next = time.monotonic()

    def turn(self) -> None:
        """Mend what is due, and break the next thing if it is time."""
        now = time.monotonic()
        for name, (fault, until) in list(self._running.items()):
            if now >= until:
                self._mend(name, fault)
        if now >= self._next and len(self._running) < self.most:
            self._break()
            self._next = time.monotonic() + self.chance.uniform(*self.pause)

    def end(self) -> None:
        for name, (fault, _until) in list(self._running.items()):
            self._mend(name, fault)

    def _break(self) -> None:
        if not self._bag:
            self._bag = [*FAULTS, *(OF_THE_ENGINE if self.site.engine else ())]
            self.chance.shuffle(self._bag)
        fault = self._bag.pop()
        name = fault.__name__
        if name in self._running:
            return
        begun = fault(self.site, self.chance)
        seconds = next(begun)
        self.made[name] = self.made.get(name, 0) + 1
        self.say(f"{name} for {seconds:.1f} s")
        self._running[name] = begun, time.monotonic() + seconds

    def _mend(self, name: str, fault: Iterator[float]) -> None:
        del self._running[name]
        next(fault, None)
