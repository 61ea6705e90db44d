"""Keeps the workers of containers apart that have the same AGON_MACHINE.

- Containers of one machine (`docker compose up --scale workers=2`) share its folder of data. Each takes the
  lowest number that no other has, by a lock that ends with it; the workers of the second are `worker-0.2` and
  so on. They share the places of the cores, since the cores are the same.
- Another machine, or another folder, with the name of one whose processes are alive is refused: what is known
  of a worker, its leases and its faults would be mixed up with those of another.
- So is a machine with another name than its role of PostgreSQL is for, which could claim nothing.
"""

import fcntl
import json
import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection

from agon.site.core.db.leases import now
from agon.site.fleet.heartbeat import host
from agon.supervisor.children import Program
from agon.supervisor.errors import StartupError

MOST_CONTAINERS = 64  # containers of one machine
SILENT = timedelta(seconds=60)  # agon.site.fleet.presence says the same, and needs the models
ROLE = re.compile("_worker_(.+)$")  # agon.site.fleet.worker_role says the same, and needs the models
OTHERS = "SELECT place, seen, facts FROM fleet_process WHERE machine = %s AND NOT stopped ORDER BY seen DESC"


def take_number(folder: Path) -> tuple[int, int]:
    """The number of this group of workers, from 1, and the descriptor that holds it: keep it.

    folder: of the data. Raises StartupError.
    """
    for number in range(1, MOST_CONTAINERS + 1):
        path = folder / f"workers-{number}.lock"
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StartupError(f"{path} cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
        else:
            return number, lock
    raise StartupError(f"{MOST_CONTAINERS} groups of workers run with the folder {folder} already.")


def numbered(programs: Sequence[Program], number: int) -> list[Program]:
    """The programs with names that no other group of this machine has."""
    if number == 1:
        return list(programs)
    return [
        replace(
            program,
            name=f"{program.name}.{number}",
            arguments=(*program.arguments[:-2], f"{program.name}.{number}", program.arguments[-1]),
            environment=program.environment | {"AGON_GROUP": str(number)},
        )
        for program in programs
    ]


def why_not_to_start() -> str | None:
    """A sentence if the database's role is of another machine, or processes of another one with this name are
    alive; else None.
    """
    role = str(connection.settings_dict["USER"])
    if (matched := ROLE.search(role)) and matched[1] != settings.AGON_MACHINE:
        return (
            f"AGON_MACHINE is {settings.AGON_MACHINE}, and the role {role} of DATABASE_URL was made for "
            f"{matched[1]}, whose matches alone it may play: `manage.py worker_role MACHINE` makes another."
        )
    try:
        with warnings.catch_warnings():
            # As in agon.site.core.db.schema: Django is not set up here.
            warnings.filterwarnings("ignore", "Accessing the database during app initialization")
            with connection.cursor() as cursor:
                cursor.execute(OTHERS, [settings.AGON_MACHINE])
                rows = cursor.fetchall()
            time = now()
    except DatabaseError:  # it does not answer, or has no tables yet: no reason not to start
        return None
    finally:
        connection.close()
    for place, seen, facts in rows:
        ago = time - (seen if seen.tzinfo else seen.replace(tzinfo=UTC))  # SQLite's are UTC
        at = (facts if isinstance(facts, dict) else json.loads(facts)).get("host")
        if ago < SILENT and at not in (None, host()):
            return (
                f"AGON_MACHINE is {settings.AGON_MACHINE}, and so it is on another machine, or in another "
                f"folder, where {place} was alive {ago.total_seconds():.0f} s ago: give each a name of its "
                f"own. If that one has just been shut down, wait {SILENT.total_seconds():.0f} s."
            )
    return None
