"""A whole site on one machine under one foreground process: `make run`, or `agon serve`.

The workers on a machine of a production site run under the same supervisor, `python -m
agon.supervisor.workers`.

errors.py       what may go wrong at startup, in one sentence
folder.py       the folder of all state: writable, and used by one site at a time
migrating.py    brings the database to the state of this Agon; that of a later one is refused
backing_up.py   `agon backup`; restoring.py: `agon restore`
prepare.py      before anything is started: a working sandbox, the database, house bots, an administrator
children.py     the processes of a site, started so that they cannot outlive the supervisor
agon/supervisor.py   keeps them running and stops them
make.py         stops together with the `make` above
web.py          the web server process
consumer.py     the processes of a worker and of the scheduler
site.py         the steps from nothing to a running site, in order
workers.py      workers alone
"""
