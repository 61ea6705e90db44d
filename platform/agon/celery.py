"""The task queue. Tasks are notices: the database decides what is done, and by which worker.

Queues: `build` (submissions to build), `interactive` (matches that someone waits for, and the sweeper),
`bulk`
(tournaments, the ladder). A worker of the `bulk` queue plays interactive matches first; a worker that
consumes only
`interactive` is never kept busy by bulk matches.

    AGON_CORE=<its number> celery -A agon.celery worker --pool solo --queues interactive,bulk    for each core
    celery -A agon.celery worker --pool solo --queues build,interactive     one more: a build delays no match
    celery -A agon.celery beat                                              one in all

Losing every message loses nothing: `pipeline.tasks.sweep`, sent by beat every few seconds, sends new notices
for
whatever waits according to the database.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.settings")

app = Celery("agon")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
