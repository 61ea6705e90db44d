"""What a worker and the agent in a box send each other about the box and its sessions."""

from typing import Any, NamedTuple

from sandbox.boxes.waiting import Thread


class BoxSpec(NamedTuple):
    """Everything that an agent learns about its box, once. inside/setup.py explains the fields."""

    uids: bool
    own_filter: int
    memory_counted: bool
    spawned_by_agent: bool
    key: int
    command: list[str]
    python: str | None
    memory: int
    processes: int
    work: int
    open_files: int
    cpu_s: int | None
    packages: str
    environment: dict[str, str]
    counts: list[str]


class Prepared(NamedTuple):
    """A box before any bot has run in it.

    kib: the memory that it takes. missing: the program of its command if there is none of that name, else "".
    """

    kib: int
    missing: str


class Status(NamedTuple):
    """What a session's bots have used so far, and whether its bot, or its spawner, has ended."""

    at_ns: int  # of the monotonic clock, when this was measured
    cpu_us: int  # used by all threads of all bots
    unattributed_us: int  # used by the box, but by no process that can still be seen
    ours_us: int  # used by the agent and its measurers since the box was opened; the spawner is not included
    sampling_us: int  # how long these ran or waited for a processor to take samples, in this session
    threads: list[Thread]  # alive, of all bots
    spawner: Thread | None
    main: int  # the number of the bot's first thread
    memory: bool  # the session, or something in it, was killed for lack of memory
    exit: int | None  # of the bot or the spawner: its status, minus the signal that killed it; None: it lives

    @classmethod
    def parse(cls, answer: dict[str, Any]) -> "Status":
        spawner = answer["spawner"]
        return cls(
            at_ns=answer["at_ns"],
            cpu_us=answer["cpu_us"],
            unattributed_us=answer["unattributed_us"],
            ours_us=answer["ours_us"],
            sampling_us=answer["sampling_us"],
            threads=[Thread(*thread) for thread in answer["threads"]],
            spawner=Thread(*spawner) if spawner else None,
            main=answer["main"],
            memory=answer["memory"],
            exit=answer.get("exit"),
        )


class Report(NamedTuple):
    """What the agent reports when it has ended a session."""

    cpu_us: int
    peak_kib: int
    clean: bool  # nothing of the session is left
    memory: bool  # something in the box was killed for lack of memory
