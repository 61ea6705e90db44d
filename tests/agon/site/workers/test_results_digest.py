"""Equal seeds and bots: equal records, byte for byte, wherever they are played and by however many."""

import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile

import pytest

from agon.site.archives import services as archives
from agon.site.bots.models import Submission
from agon.site.bots.services import receive
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.use_cases import qualification
from agon.site.workers import building, playing
from agon.site.workers.worker import worker as own_worker
from games.core.manifest import load
from sandbox.backends import open_sandbox

pytestmark = [pytest.mark.slow, pytest.mark.docker]

# House bots that draw nothing by chance, in the order in which they enter.
BOTS = {
    "camel_up": ["roller", "bookmaker", "trapper", "starter"],
    "coup": ["honest", "challenger"],
    "honest_rps": ["stone", "starter"],
    "language_survival": ["polyglot", "zealot", "starter", "preacher"],
    "samurai": ["even", "greedy", "shadow", "starter"],
}
SEED = 11


def files(game):
    return [load(game).folder / "bots" / f"{name}.py" for name in BOTS[game]]


def on_the_command_line(game, format, folder, sandbox, jobs, store):
    """The results digest that is printed; the archive is saved in `folder`."""
    command = [sys.executable, "-m", "agon", "tournament", game, *map(str, files(game)), "--json"]
    command += ["--seed", str(SEED), "--rounds", "1", "--format", format]
    command += ["--sandbox", sandbox, "--jobs", str(jobs), "--save", str(folder)]
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "DOCKER_HOST") if name in os.environ}
    environment = {**kept, "XDG_CACHE_HOME": str(store.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["digest"]


def on_the_site(user, game, format):
    """The archive of the same tournament as a site plays it, with seeds that are no secret."""
    competition = Competition.objects.create(slug=game.replace("_", "-"), game=game, title=game)
    for path in files(game):
        receive(user, competition, path.stem, path.name, path.read_bytes())
    sandbox = open_sandbox("bubblewrap")
    try:
        while building.build_next(sandbox):
            pass
        submissions = list(Submission.objects.order_by("pk"))
        for submission in submissions:
            qualification.activate(submission)
        competition.matches.all().delete()
        bots = [submission.bot for submission in submissions]
        cup = services.create(user, competition, "Cup", format, 1, SEED, bots)
        Tournament.objects.update(salt="")
        cup.refresh_from_db()
        services.start(cup)
        competition.state = competition.State.CLOSED
        competition.save()
        competition.matches.filter(tournament=None).delete()
        while match := leases.claim("w"):
            assert playing.play(match)
        scheduling.tick()
    finally:
        own_worker.close()
        sandbox.close()
    return zipfile.ZipFile(io.BytesIO(b"".join(archives.of_tournament(cup))))


@pytest.mark.first(1)
@pytest.mark.parametrize("game", BOTS)
@pytest.mark.django_db
def test_backends_workers_the_site_and_the_command_line_give_the_same_results(
    game, user, tmp_path, store, settings, monkeypatch
):
    monkeypatch.setenv("AGON_SANDBOX", "bubblewrap")
    settings.AGON_ARTIFACTS = store
    format = "round_robin" if load(game).max_seats == 2 else "rotations"
    digest = on_the_command_line(game, format, tmp_path / "one", "bubblewrap", 1, store)
    docker_digest = on_the_command_line(game, format, tmp_path / "other", "docker", 2, store)
    assert digest == docker_digest
    site = on_the_site(user, game, format)
    assert json.loads(site.read("manifest.json"))["results"] == digest

    lines = ""
    for number in sorted(int(path.name) for path in (tmp_path / "one/matches").iterdir()):
        path = f"matches/{number}/record.json"
        record = (tmp_path / "one" / path).read_bytes()
        assert record == (tmp_path / "other" / path).read_bytes() == site.read(path)
        lines += f"{hashlib.sha256(record).hexdigest()}  {path}\n"
    assert hashlib.sha256(lines.encode()).hexdigest() == digest
