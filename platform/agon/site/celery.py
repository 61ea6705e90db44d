"""The task queue. Tasks are notices: the database decides what is done, and by which worker.

Queues: `build` (submissions to build), `interactive` (matches that a user waits for, and trials), `chores`
(the sweeper and the like, which need all rights of the site), `bulk` (tournaments, the ladder), `archives`
(of tournaments; days of the chain), `signing` (downloads of matches, for web processes without the key),
`home` (challenges with a bot at home, which last as long as people take). A
worker of the `bulk` queue plays interactive matches first; a worker that consumes only `interactive` is never
busy with bulk matches.

    # one per core:
    AGON_CORE=<its number> python -m agon.supervisor.consumer worker <its name> interactive,bulk,chores
    # one more, so that builds do not delay matches:
    python -m agon.supervisor.consumer worker <its name> build,interactive,chores
    # two more, so that bots at home hold no other match up:
    python -m agon.supervisor.consumer worker <its name> home
    # where ARCHIVE_KEY is; the second one so that a large archive does not delay signatures:
    python -m agon.supervisor.consumer worker <its name> archives
    python -m agon.supervisor.consumer worker <its name> signing
    # exactly one:
    python -m agon.supervisor.consumer scheduler

Losing messages loses no work: beat sends `agon.site.workers.tasks.sweep` every few seconds, which sends new
notices for whatever is waiting in the database.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.site.settings")

app = Celery("agon")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# With tasks, or with what goes on beside them.
for module in ("playing", "building", "alive", "listening", "standing_still"):
    app.autodiscover_tasks(["agon.site.workers"], related_name=module)
