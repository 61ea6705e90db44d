"""Fixtures that play matches of Python programs in real boxes, with limits that the test chooses."""

import dataclasses
import math

import pytest

from agon.contest.arena import Player, box_limits, play
from games.core.manifest import load
from sandbox.boxes.pool import Pool
from sandbox.building.build import build
from sandbox.uploads.accept import pasted, read_path

READY = "print('READY', flush=True)\n"
CYCLE = """
import sys
sys.stdin.readline(); sys.stdin.readline()
for turn in range(1, 10):
    for _ in range(9 if turn % 2 else 8):
        sys.stdin.readline()
    print(*[turn % 6] * (5 if turn % 2 else 2), flush=True)
"""
GOOD = READY + CYCLE


@pytest.fixture(scope="module")
def pool(sandbox):
    opened = Pool(sandbox, box_limits(load("samurai")))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def bot(sandbox, store):
    """bot(program): builds a Python program (text) or a file of tests/bots; equal programs once."""

    def make(program):
        source = pasted(program, "python") if isinstance(program, str) else read_path(program)
        built = build(source, sandbox, store)
        assert built.artifact is not None, built.log + str(built.reason)
        return built.artifact

    return make


@pytest.fixture
def warmed(pool, bot):
    """warmed(*programs): builds them and opens their boxes, before busy processes slow that down."""

    def warm(*programs):
        for box in [pool.take(bot(program)) for program in programs]:
            box.session().close()
            pool.give(box)

    return warm


@pytest.fixture
def matched(pool, bot):
    """matched(game, *programs, **limits): plays one match of these programs, by seat, with these limits."""

    def run(game, *programs, seed=1, on_trial=frozenset(), longest_s=math.inf, **limits):
        info = load(game)
        info = dataclasses.replace(info, limits=dataclasses.replace(info.limits, **limits))
        players = [Player(f"bot{seat}", bot(program)) for seat, program in enumerate(programs)]
        return play(info, players, seed, pool, on_trial, longest_s=longest_s)

    return run


def faults(played):
    return [(fault.seat, fault.kind) for fault in played.log.faults]
