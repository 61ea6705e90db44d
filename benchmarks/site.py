"""Makes a site with a tournament for benchmarks, and plays the tournament as a worker.

    python -m benchmarks.site prepare     make it in AGON_VAR: five active Samurai bots, and a tournament
    python -m benchmarks.site work        for each line on standard input, a number of seconds: play for that
                                          long like a worker (workers.playing.play_waiting), then print the
                                          number of matches and the seconds that they took

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

    from agon.site.accounts.services import house_user
    from agon.site.bots.models import Submission
    from agon.site.bots.services import receive_house
    from agon.site.competitions.models import Competition
    from agon.site.matches.models import Match
    from agon.site.tournaments import services as tournaments
    from agon.site.use_cases import qualification
    from agon.site.workers import building
    from benchmarks.house import files
    from benchmarks.samurai import PYTHON_BOTS
    from sandbox.backends import open_sandbox

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
    from agon.site.matches.models import Match
    from agon.site.matches.states import State
    from agon.site.tournaments import scheduling
    from agon.site.workers import playing
    from agon.site.workers.worker import take_core, worker

    take_core()
    own_matches = Match.objects.filter(worker=worker.name, state=State.FINISHED)
    for line in sys.stdin:
        scheduling.tick()  # what the sweeper does: queue the next matches
        before = own_matches.count()
        began = time.perf_counter()
        while time.perf_counter() - began < float(line):
            playing.play_waiting(Match.Queue.BULK)
        took = time.perf_counter() - began
        print(own_matches.count() - before, took, flush=True)
    worker.close()


if __name__ == "__main__":
    django.setup()
    {"prepare": prepare, "work": work}[sys.argv[1]]()
