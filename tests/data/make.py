"""Makes a small site as this version of Agon keeps it: data that every later version has to read.

    .venv/bin/python -m tests.data.make 1.0

writes to `tests/data/1.0`:

    site.sql           the SQLite database, as text
    media/             the files of its storage, except for the built programs
    cup.zip            the archive of its tournament, signed
    match.zip          the archive of one of its matches
    record.json        the record of that match
    command_line.zip   what `agon tournament --save` wrote

Everything is made by the site's own code: programs are uploaded, built and played in a sandbox. Run it when a
version is released, and never change or remove what is there. It takes 15 seconds.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import django

ROOT = Path(__file__).parents[2]
GAME = "coup"
HONEST, CHALLENGER, MISER = (
    ROOT / f"games/{GAME}/bots/{name}.py" for name in ("honest", "challenger", "miser")
)
BRITTLE = ROOT / f"tests/bots/{GAME}/crash_later.py"  # plays legally twice, then raises
BROKEN = ROOT / f"tests/bots/{GAME}/syntax_error.py"
WORKER = "alpha:core0:77"


def make(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as var:
        os.environ |= {"AGON_VAR": var, "DJANGO_SETTINGS_MODULE": "agon.site.settings"}
        os.environ |= {"AGON_SANDBOX": "bubblewrap", "AGON_MACHINE": "alpha"}
        sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
        django.setup()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        play(folder)
        dump(Path(var), folder)
        save_on_the_command_line(Path(var), folder)


def play(folder: Path) -> None:
    """Play the contests of the site; their archives are written to `folder`."""
    from django.contrib.auth.models import Group
    from django.core.management import call_command
    from django.db.models import F

    from agon.contest.attempts import FailureKind
    from agon.site.accounts.models import User
    from agon.site.accounts.services import house_user, make_admin
    from agon.site.archives import chain, services, storing
    from agon.site.bots import reasons
    from agon.site.bots.services import receive, receive_house
    from agon.site.comparisons import progress
    from agon.site.comparisons import services as comparisons
    from agon.site.competitions.models import Competition
    from agon.site.core.db.leases import ATTEMPTS
    from agon.site.fleet import parking, pausing, watching
    from agon.site.leaderboards import fitting
    from agon.site.matches import leases, queueing, records
    from agon.site.matches.models import Match, Seat
    from agon.site.matches.states import State
    from agon.site.tournaments import reruns, scheduling
    from agon.site.tournaments import services as tournaments
    from agon.site.trials import services as trials
    from agon.site.trials import tables
    from agon.site.trials.visitors import Visitor
    from agon.site.use_cases import closing_accounts, leaving_play, qualification
    from agon.site.workers import building, playing, retention, trying
    from agon.site.workers.worker import worker
    from agon.statistics.worker_watch import Finding, Kind
    from games.core.manifest import load
    from games.core.reason import Reason
    from sandbox.backends import open_sandbox

    call_command("migrate", verbosity=0, interactive=False)
    make_admin("of tests only")
    admin = User.objects.get(username="admin")
    ada, bob, cid, olga = (User.objects.create_user(name) for name in ("ada", "bob", "cid", "olga"))
    olga.groups.add(Group.objects.get(name="Organizers"))
    coup = Competition.objects.create(slug=GAME, game=GAME, title=load(GAME).title, keep_days=2)
    sandbox = open_sandbox("bubblewrap")

    def build_and_play() -> None:
        """Build what was uploaded, and play what waits, but of the ladder only what users wait for."""
        waiting = Match.objects.filter(state=State.QUEUED)
        while building.build_next(sandbox):
            pass
        while waiting.filter(queue=Match.Queue.INTERACTIVE).exists():
            playing.play_waiting(Match.Queue.INTERACTIVE)
        while waiting.exclude(kind=Match.Kind.LADDER).exists():
            waiting.filter(kind=Match.Kind.LADDER).delete()
            playing.play_waiting(Match.Queue.BULK)
            scheduling.tick()
        waiting.delete()
        fitting.tick()

    # Versions that play, two that are rejected, and the ladder.
    challenger = receive_house(house_user(), coup, "Challenger", CHALLENGER.name, CHALLENGER.read_bytes())
    first = receive(ada, coup, "Honest", HONEST.name, HONEST.read_bytes())
    receive(bob, coup, "Broken", BROKEN.name, BROKEN.read_bytes())
    receive(bob, coup, "Hasty", BRITTLE.name, BRITTLE.read_bytes())
    build_and_play()
    second = receive(ada, coup, "Honest", HONEST.name, HONEST.read_bytes() + b"# 2\n")
    miser = receive(cid, coup, "Miser", MISER.name, MISER.read_bytes())
    brittle = receive(bob, coup, "Brittle", BRITTLE.name, BRITTLE.read_bytes() + b"# luckier\n")
    while building.build_next(sandbox):
        pass
    brittle.refresh_from_db()
    qualification.activate(brittle)
    build_and_play()

    # A tournament with faults, a failed attempt, and a re-run.
    entrants = [challenger.bot, first.bot, miser.bot, brittle.bot]
    cup = tournaments.create(olga, coup, "Cup", "round_robin", 1, 7, entrants)
    tournaments.start(cup, olga)
    claimed = leases.claim(WORKER)
    assert claimed is not None
    leases.fail(claimed, Reason("text", text="the box did not open"), kind=FailureKind.BOX, asked=(1,))
    build_and_play()
    cup.refresh_from_db()
    again = reruns.Choice(numbers=(cup.matches.order_by("index")[0].pk,))
    rerun = reruns.begin(cup, again, olga, "the worker was too warm")
    build_and_play()
    reruns.apply(rerun, olga, "as it was")
    tournaments.create(olga, coup, "Next cup", "swiss", 2, 8, entrants)  # a draft

    # A comparison, and a trial.
    second.refresh_from_db()
    comparison = comparisons.start(ada, second, challenger)
    for _ in range(4):
        claimed = leases.claim(worker.name)
        assert claimed is not None
        assert playing.play(claimed)
    progress.cancel(comparison)
    visitor = Visitor(ada, f"account {ada.pk}", "0" * 64)
    trials.start(visitor, coup, [tables.one(coup, challenger)], "python", BRITTLE.read_text())
    assert trying.play_next()

    # A void match, a parked worker and a paused one.
    queueing.queue(coup, Match.Kind.LADDER, Match.Queue.BULK, [challenger, second])
    for _ in range(ATTEMPTS):
        claimed = leases.claim(WORKER)
        assert claimed is not None
        leases.fail(claimed, Reason("text", text="the worker's machine has no memory left"))
    compared = tuple(coup.matches.values_list("pk", flat=True)[:3])
    finding = Finding("alpha:core0", Kind.SLOWER, 1.34, 1.0, compared, 1e-9)
    parking.record_finding(finding.worker, coup, watching.reason_of(finding), park=True)
    pausing.pause("beta:core1:5", "the storage is away")

    # A stopped bot, a renamed one, a closed account.
    leaving_play.stop(brittle.bot, admin, reasons.stopped("It crashes on purpose."))
    leaving_play.rename(second.bot, ada, "Honest Ada")
    closing_accounts.close(cid, cid, "")

    # A closed day of the chain, a removed record, archives.
    oldest, next_one = Match.objects.filter(kind=Match.Kind.LADDER, state=State.FINISHED).order_by("pk")[:2]
    for match, hours in ((oldest, 96), (next_one, 36)):
        Match.objects.filter(pk=match.pk).update(finished_at=F("finished_at") - timedelta(hours=hours))
    retention.remove_expired()
    while chain.is_due():
        assert chain.close_next()
    cup.refresh_from_db()
    storing.make(cup)
    (folder / "cup.zip").write_bytes(b"".join(services.of_tournament(cup)))
    faulty = Seat.objects.filter(match__tournament=cup, faults__isnull=False).first()
    assert faulty is not None
    (folder / "match.zip").write_bytes(services.of_match(faulty.match, lambda seat: False))
    (folder / "record.json").write_bytes(records.record_json(faulty.match))
    worker.close()
    sandbox.close()


def dump(var: Path, folder: Path) -> None:
    """Write the database as text, and copy the storage, except for the built programs."""
    with closing(sqlite3.connect(var / "agon.sqlite3")) as database:
        (folder / "site.sql").write_text("\n".join(database.iterdump()) + "\n")
    shutil.copytree(var / "media", folder / "media", ignore=shutil.ignore_patterns("artifacts"))


def save_on_the_command_line(var: Path, folder: Path) -> None:
    """Play the bots on the command line, too, and keep the folder that it saved."""
    command = [
        sys.executable,
        "-m",
        "agon",
        "tournament",
        GAME,
        *map(str, (HONEST, BRITTLE)),
        "--rounds",
        "1",
    ]
    subprocess.run([*command, "--save", str(var / "saved")], cwd=ROOT / "platform", check=True)
    shutil.make_archive(str(folder / "command_line"), "zip", var / "saved")


if __name__ == "__main__":
    make(ROOT / "tests/data" / sys.argv[1])
