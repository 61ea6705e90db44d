"""A competition with active house bots, and a function that tries a program against one of them."""

from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.test import Client

from agon.contest.adapters import adapter_of
from agon.site.accounts.services import house_user
from agon.site.bots import artifacts
from agon.site.bots.models import Bot, Submission
from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import Leaderboard
from agon.site.workers.worker import worker
from games.core.manifest import load
from sandbox.building.build import build
from sandbox.uploads.accept import read_upload
from tests.support.factories import activate

GAMES = Path(__file__).parents[4] / "games"
PROGRAM = "def bot(their_past, my_past, their_claim, my_claim):\n    return 'R'\n"


@pytest.fixture
def rps(db) -> Competition:
    """Honest RPS: two seats, Python functions."""
    competition = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    Leaderboard.objects.create(competition=competition)
    return competition


@pytest.fixture
def house(rps) -> list[Submission]:
    """Two active house bots, the weaker one first, without built programs."""
    submissions = activate(house_user(), rps, ["Fibber", "Dice"])
    Bot.objects.update(house=True)
    for submission in submissions:
        submission.source.save("", ContentFile(b"nothing"), save=True)
        submission.refresh_from_db()
    return submissions


@pytest.fixture
def tried(rps, house):
    """tried(client, text): POSTs a program to the editor, as its script does; returns the response."""

    def post(client: Client, text: str = PROGRAM, **changes):
        data = {"text": text, "language": "python", "opponent": str(house[0].pk), **changes}
        return client.post("/c/rps/editor/", data, headers={"HX-Request": "true"})

    return post


@pytest.fixture
def playing(house, monkeypatch, settings, store):
    """This process is a worker in bubblewrap, and the weakest house bot has its program."""
    monkeypatch.setenv("AGON_SANDBOX", "bubblewrap")
    settings.AGON_ARTIFACTS = store
    source = (GAMES / "honest_rps" / "bots" / "fibber.py").read_bytes()
    built = build(read_upload("fibber.py", source), worker.sandbox(), store, adapter_of(load("honest_rps")))
    artifacts.keep(house[0], built.artifact)
    house[0].save()
    yield
    worker.close()
