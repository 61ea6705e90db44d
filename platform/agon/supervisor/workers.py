"""The workers of one machine of a production site under the supervisor: one per core, and a builder.

    python -m agon.supervisor.workers
    python -m agon.supervisor.workers players     # of a machine with a database role of its own: no builder

The cores are those that this process may run on. The workers write to this process's output.
"""

import os
import secrets
import shlex
import sys

from django.core.exceptions import ImproperlyConfigured

from agon.resources import data_folder
from agon.site.core.db import schema
from agon.site.core.disk_space import disk_shortage
from agon.site.core.setting_table import mistake
from agon.supervisor import machine_name
from agon.supervisor.children import players_elsewhere, workers
from agon.supervisor.errors import StartupError
from agon.supervisor.supervisor import Supervisor

USAGE = "expected: nothing, or: players"


def main() -> None:
    words = sys.argv[1:]
    if words not in ([], ["players"]):
        sys.exit(f"agon: {USAGE}; got: {shlex.join(words)}")
    cores = sorted(os.sched_getaffinity(0))
    ready, ready_writer = os.pipe()
    os.write(ready_writer, b"\n")  # there is no web server to wait for
    message = f"Workers on cores {', '.join(map(str, cores))}{'.' if words else ', and a builder.'}"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.site.settings")
    if words and "SECRET_KEY_FILE" not in os.environ:
        os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(50))  # players sign nothing
    try:
        if why := mistake(os.environ) or schema.why_not_to_start() or machine_name.why_not_to_start():
            sys.exit(f"agon: {why}")
        number, _held = machine_name.take_number(data_folder())
    except (StartupError, ImproperlyConfigured) as error:
        sys.exit(f"agon: {error}")
    programs = machine_name.numbered(players_elsewhere(cores) if words else workers(cores), number)
    Supervisor(programs, None, ready, lambda: print(message, flush=True), disk_shortage).run()


if __name__ == "__main__":
    main()
