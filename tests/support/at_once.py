"""Does several things at the same time, each in a thread with a connection of its own."""

import threading
from collections.abc import Callable, Sequence

from django.db import connection

Act = Callable[[], object]


def outcomes_at_once(acts: Sequence[Act]) -> list[object]:
    """Do all of them at the same time; what each returned, or the exception that it raised, in any order."""
    ready = threading.Barrier(len(acts))
    outcomes: list[object] = []

    def do(act: Act) -> None:
        try:
            ready.wait(60)
            outcomes.append(act())
        except Exception as error:
            outcomes.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def failures_at_once(acts: Sequence[Act]) -> list[Exception]:
    """Do all of them at the same time; what they raised, in any order."""
    return [outcome for outcome in outcomes_at_once(acts) if isinstance(outcome, Exception)]
