"""Makes a site with a tournament for benchmarks, and plays the tournament as a worker.

    python -m benchmarks.site prepare     make it in AGON_VAR: five active Samurai bots, and a tournament
    python -m benchmarks.site prepare_contest BOTS ROUNDS
                                          the same for benchmarks/original_contest.py
    python -m benchmarks.site work        for each line on standard input, a number of seconds: play for that
                                          long like a worker (workers.playing.play_waiting), then print the
                                          number of matches, and seconds: of wall time, in all and in
                                          `arena.play`; of processor time, in all and outside `arena.play`

All code is the site's own: uploads, builds, the queue, leases, records in the storage, results in the
database (SQLite, or DATABASE_URL).
"""

import itertools
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import django

ROUNDS = 500  # of twenty matches each: more than can be played


def set_up() -> None:
    """Set Django up, for the database of DATABASE_URL or AGON_VAR, and make its tables."""
    from django.core.management import call_command

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.site.settings")
    django.setup()
    call_command("migrate", verbosity=0, interactive=False)


def prepare() -> None:
    from benchmarks.house import files
    from benchmarks.samurai import PYTHON_BOTS

    bots = [(bot.stem, bot.name, bot.read_bytes()) for bot in files("samurai", *PYTHON_BOTS)]
    _make("samurai", bots, "rotations", ROUNDS)


def prepare_contest(number: str, rounds: str) -> None:
    from benchmarks.honest_rps import SCANNING
    from games.core.manifest import load

    files = [*sorted((load("honest_rps").folder / "bots").glob("*.py")), *SCANNING]
    bots = []
    for place, file in zip(range(int(number)), itertools.cycle(files)):
        copy = place // len(files) + 1
        source = file.read_bytes() + b"\n# copy %d\n" % copy  # equal programs would share their boxes
        bots.append((f"{file.stem}-{copy}", file.name, source))
    print(f"{number} bots, {_make('honest_rps', bots, 'round_robin_self', int(rounds))} matches", flush=True)


def _make(game: str, programs: Iterable[tuple[str, str, bytes]], format: str, rounds: int) -> int:
    """Make the competition "contest" with these bots (name, file name, source), built and active, and start
    a tournament. Returns the number of its matches.
    """
    from agon.site.accounts.services import house_user
    from agon.site.bots.models import Submission
    from agon.site.bots.services import receive_house
    from agon.site.competitions.models import Competition
    from agon.site.matches.models import Match
    from agon.site.tournaments import services as tournaments
    from agon.site.use_cases import qualification
    from agon.site.workers import building
    from sandbox.backends import open_sandbox

    owner = house_user()
    competition = Competition.objects.create(slug="contest", game=game, title="Contest")
    for program in programs:
        receive_house(owner, competition, *program)
    competition.state = Competition.State.CLOSED  # so that its ladder plays nothing
    competition.save()
    sandbox = open_sandbox(os.environ.get("AGON_SANDBOX") or None)
    while building.build_next(sandbox):
        pass
    sandbox.close()
    for submission in Submission.objects.all():
        qualification.activate(submission)
    Match.objects.all().delete()  # the qualification matches
    bots = [submission.bot for submission in Submission.objects.select_related("bot").order_by("pk")]
    tournament = tournaments.create(owner, competition, "Bench", format, rounds, 1, bots)
    tournaments.start(tournament)
    return tournament.total


def work() -> None:
    from agon.contest import arena
    from agon.site.tournaments import scheduling
    from agon.site.workers import playing
    from agon.site.workers.worker import take_core, worker

    take_core()
    matches, playing_wall, playing_used = 0, 0.0, 0.0
    play = arena.play

    def timed(*args: Any, **named: Any) -> arena.Played:
        nonlocal matches, playing_wall, playing_used
        wall, used = time.perf_counter(), time.process_time()
        try:
            return play(*args, **named)
        finally:
            matches += 1
            playing_wall += time.perf_counter() - wall
            playing_used += time.process_time() - used

    arena.play = timed
    for line in sys.stdin:
        scheduling.tick()  # what the sweeper does: queue the next matches
        matches, playing_wall, playing_used = 0, 0.0, 0.0
        wall, used = time.perf_counter(), time.process_time()
        while time.perf_counter() - wall < float(line):
            playing.play_waiting("bulk")
        wall, used = time.perf_counter() - wall, time.process_time() - used
        print(matches, wall, playing_wall, used, used - playing_used, flush=True)
    worker.close()


if __name__ == "__main__":
    set_up()
    acts: dict[str, Callable[..., None]] = {"prepare": prepare, "prepare_contest": prepare_contest}
    (acts | {"work": work})[sys.argv[1]](*sys.argv[2:])
