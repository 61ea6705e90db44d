"""The names of workers. A match stores `machine:place:process` of the worker that claimed it.

The place is a core of the machine, or `shared` for workers without a core of their own. `machine:place`
names the worker itself, whose process may be restarted.
"""

SHARED = "shared"


def name(machine: str, core: str | None, process: int, group: str = "") -> str:
    """The name of a worker, as a match stores it. core: its number; None without a core of its own.

    group: of workers with process numbers of their own, such as those of a second container.
    """
    of_group = f".{group}" if group else ""
    return f"{machine}:{SHARED if core is None else f'core{core}'}:{process}{of_group}"


def place_of(worker: str) -> str:
    """The `machine:place` in the name that a match stores."""
    return worker.rpartition(":")[0]


def has_a_core(place: str) -> bool:
    """Whether the worker at this place has a core of its own."""
    return not place.endswith(f":{SHARED}")
