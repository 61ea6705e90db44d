"""Prepares the site for benchmarks/original_contest.py: `python -m benchmarks.contest_site BOTS ROUNDS`.

Makes a database in AGON_VAR with one competition, this number of built and active bots, and a started
tournament.
"""

import itertools
import os
import sys

import django


def prepare(number: int, rounds: int) -> None:
    from django.core.management import call_command

    from agon.site.accounts.services import house_user
    from agon.site.bots.models import Submission
    from agon.site.bots.services import receive_house
    from agon.site.competitions.models import Competition
    from agon.site.matches.models import Match
    from agon.site.tournaments import services as tournaments
    from agon.site.use_cases import qualification
    from agon.site.workers import building
    from benchmarks.honest_rps import SCANNING
    from games.core.manifest import load
    from sandbox.backends import open_sandbox

    call_command("migrate", verbosity=0, interactive=False)
    owner = house_user()
    competition = Competition.objects.create(
        slug="contest", game="honest_rps", title="The original contest", state=Competition.State.CLOSED
    )
    files = [*sorted((load("honest_rps").folder / "bots").glob("*.py")), *SCANNING]
    for place, file in zip(range(number), itertools.cycle(files)):
        copy = place // len(files) + 1
        source = file.read_bytes() + b"\n# copy %d\n" % copy  # equal programs would share their boxes
        receive_house(owner, competition, f"{file.stem}-{copy}", file.name, source)
    sandbox = open_sandbox(os.environ.get("AGON_SANDBOX") or None)
    while building.build_next(sandbox):
        pass
    sandbox.close()
    for submission in Submission.objects.all():
        qualification.activate(submission)
    Match.objects.all().delete()  # the qualification matches
    bots = [submission.bot for submission in Submission.objects.select_related("bot").order_by("pk")]
    tournament = tournaments.create(
        owner, competition, "The original contest", "round_robin_self", rounds, 1, bots
    )
    tournaments.start(tournament)
    print(f"{len(bots)} bots, {tournament.total} matches", flush=True)


if __name__ == "__main__":
    django.setup()
    prepare(*map(int, sys.argv[1:]))
