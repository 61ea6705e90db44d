"""A whole site on one machine under one foreground process: `make run`, or `agon serve`.

The workers of a production site's machine run under the same supervisor, `python -m supervisor.workers`.

trouble.py      what may go wrong at the start, in one sentence
folder.py       the folder of all state: writable, and used by one site at a time
prepare.py      database, house bots, administrator, a working sandbox: before anything is started
children.py     the processes of a site, and how one is started so that it cannot outlive us
supervisor.py   keeps them running, and stops them all
make.py         being stopped together with the `make` above
web.py          the web server's process
site.py         the steps from nothing to a running site, in order
workers.py      workers alone
"""
