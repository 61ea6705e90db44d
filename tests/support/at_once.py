"""Does several things at the same time, each in a thread with a connection of its own."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from django.db import connection, transaction

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


def failure_in_between(first: Act, act: Act, second: Act) -> BaseException | None:
    """Do `first` and `second` in one transaction; in between, `act` begins in a thread and waits for it.

    What `act` raised once the transaction has ended. With SQLite, `act` waits in any case.
    """

    def do() -> None:
        try:
            act()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            first()
            running = thread.submit(do)
            _wait_until_it_waits(running)
            second()
        return running.exception(60)


def _wait_until_it_waits(running: Future[None]) -> None:
    """Until it waits for a lock of this connection, or has ended."""
    is_postgresql = connection.vendor == "postgresql"
    until = time.monotonic() + (10 if is_postgresql else 0.2)
    while not running.done() and time.monotonic() < until:
        if is_postgresql:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
                )
                if cursor.rowcount:
                    return
        time.sleep(0.01)
