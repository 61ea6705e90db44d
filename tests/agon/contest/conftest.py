"""Archives of matches with real referees, and matches of real bots in boxes.

The seats of the archived matches are scripted, so no process is started.
"""

import dataclasses
import random

import pytest

from agon.contest import formats
from agon.contest.adapters import adapter_of
from agon.contest.archive.manifest import Header
from agon.contest.archive.writer import archived_match
from agon.contest.arena import Player, box_limits
from agon.contest.arena import play as play_in_boxes
from games.core.driver import Driver, Reply
from games.core.manifest import load
from games.core.record import SeatInfo
from sandbox.api import Artifact
from sandbox.backends import open_sandbox
from sandbox.boxes.pool import Pool
from sandbox.building.build import build
from sandbox.uploads.accept import pasted
from tests.support.boxes import BACKENDS
from tests.support.folders import write_folder


def coup_reply(request, draw):
    """A random legal move; in an exchange, keep the last cards, which are the bot's own."""
    _, _, cards, *moves = request.view.args
    return {"appended": draw.choice(moves), "stdout": cards[2:]}


def samurai_reply(request, draw):
    return " ".join(str(draw.randrange(6)) for _ in range(5))


REPLIES = {"coup": coup_reply, "samurai": samurai_reply}


def play(game, header, scheduled, seed=None):
    """Play one match with scripted seats. seed: by default, the one that follows from the header."""
    seats = [header.entrants[number] for number in scheduled.seats]
    if seed is None:
        settings = (
            header.format,
            len(header.entrants),
            header.seats,
            header.rounds,
            header.seeds.of_seatings(),
        )
        schedule = formats.schedule(*settings)
        seed = list(header.seeds.of_schedule(schedule))[scheduled.index]
    driver = Driver(load(game), len(scheduled.seats), seed)
    draw = random.Random(scheduled.index)
    while driver.pending:
        driver.answer(
            {request.seat: Reply(REPLIES[game](request, draw), wall_us=7) for request in driver.pending}
        )
    stderr = tuple(f"{seat.name} was here\n".encode() for seat in seats)
    return archived_match(
        scheduled, driver.log(seats, "2026-01-02T03:04:05+00:00", 0.5), stderr, driver.files
    )


@pytest.fixture(scope="module", params=BACKENDS)
def sandbox(request):
    opened = open_sandbox(request.param)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def tournament():
    """tournament(game, entrants): (header, matches) of a small tournament."""

    def make(game, entrants, rounds=1):
        info = load(game)
        names = ["Random", "Taxman", "Лиса", "a b/../c", "Duke", *map(str, range(5, entrants))][:entrants]
        header = Header(
            game=game,
            format=info.tournament.format,
            rounds=rounds,
            seed=100,
            points=info.tournament.points,
            seats=info.max_seats,
            entrants=tuple(SeatInfo(name, name.encode().hex()) for name in names),
        )
        scheduled_matches = formats.schedule(header.format, entrants, info.max_seats, rounds, header.seed)
        seeds = header.seeds.of_schedule(scheduled_matches)
        return header, [play(game, header, *match) for match in zip(scheduled_matches, seeds, strict=True)]

    return make


@pytest.fixture
def coup_archive(tournament, tmp_path):
    """A folder with a valid archive of 6 matches of Coup."""
    folder = tmp_path / "archive"
    write_folder(folder, *tournament("coup", 3))
    return folder


@pytest.fixture(scope="module")
def built(sandbox, store):
    """built(game, source): builds a bot from a Source, or from the name and the text of a file."""

    def make(game, source):
        if isinstance(source, tuple):
            name, text = source
            source = pasted(text, "c" if name.endswith(".c") else "python", name)
        result = build(source, sandbox, store, adapter_of(load(game)))
        assert result.artifact is not None, result.log + result.reason
        return result.artifact

    return make


@pytest.fixture(scope="module")
def matched(sandbox, built):
    """matched(game, *bots): plays one match of these bots, by seat: artifacts, or sources to build."""
    pools = {}

    def run(game, *bots, seed=1, **limits):
        info = load(game)
        info = dataclasses.replace(info, limits=dataclasses.replace(info.limits, **limits))
        pool = pools.setdefault(game, Pool(sandbox, box_limits(info)))
        artifacts = [bot if isinstance(bot, Artifact) else built(game, bot) for bot in bots]
        players = [Player(f"bot{seat}", artifact) for seat, artifact in enumerate(artifacts)]
        return play_in_boxes(info, players, seed, pool)

    yield run
    for pool in pools.values():
        pool.close()
