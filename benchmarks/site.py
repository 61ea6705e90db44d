"""Makes a site with a tournament for benchmarks, and plays the tournament as a worker.

    python -m benchmarks.site prepare     make it in AGON_VAR: five active Samurai bots, and a tournament
    python -m benchmarks.site work        for each line on standard input, a number of seconds: play for that
                                          long like a worker (pipeline.tasks.play), then print the number of
                                          matches and the seconds that they took

All code is the site's own: uploads, builds, the queue, leases, records in the storage, results in the
database (SQLite, or DATABASE_URL).
"""

import os
import sys
import time

import django

ROUNDS = 500  # of twenty matches each: more than can be played


def prepare() -> None:
    from django.core.management import call_command

    from accounts.services import house_user
    from benchmarks.house import files
    from benchmarks.samurai import PYTHON_BOTS
    from bots.models import Submission
    from bots.services import receive_house
    from competitions.models import Competition
    from matches.models import Match
    from pipeline import building, qualification
    from sandbox import open_sandbox
    from tournaments import services as tournaments

    call_command("migrate", verbosity=0, interactive=False)
    owner = house_user()
    competition = Competition.objects.create(slug="samurai", game="samurai", title="Samurai")
    for bot in files("samurai", *PYTHON_BOTS):
        receive_house(owner, competition, bot.stem, bot.name, bot.read_bytes())
    competition.state = Competition.State.CLOSED  # so that its ladder plays nothing
    competition.save()
    sandbox = open_sandbox(os.environ["AGON_SANDBOX"])
    while building.build_next(sandbox):
        pass
    sandbox.close()
    for submission in Submission.objects.all():
        qualification.activate(submission)
    Match.objects.all().delete()
    bots = [submission.bot for submission in Submission.objects.select_related("bot")]
    tournament = tournaments.create(owner, competition, "Bench", "rotations", ROUNDS, 1, bots)
    tournaments.start(tournament)


def work() -> None:
    from matches.models import Match
    from matches.states import State
    from pipeline import tasks
    from pipeline.worker import take_core, worker
    from tournaments import scheduling

    take_core()
    own_matches = Match.objects.filter(worker=worker.name, state=State.FINISHED)
    for line in sys.stdin:
        scheduling.tick()  # what the sweeper does: queue the next matches
        before = own_matches.count()
        began = time.perf_counter()
        while time.perf_counter() - began < float(line):
            tasks.play(Match.Queue.BULK)
        took = time.perf_counter() - began
        print(own_matches.count() - before, took, flush=True)
    worker.close()


if __name__ == "__main__":
    django.setup()
    {"prepare": prepare, "work": work}[sys.argv[1]]()
