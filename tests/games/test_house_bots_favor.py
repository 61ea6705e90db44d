"""House bots of Samurai and Language Survival: no fault in any seat, strengths as declared; see house.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.core.driver import Request
from games.core.manifest import HouseBot, house_bots, load
from tests.games.house import (
    Commands,
    above_in_rotations,
    assert_ordered,
    built,
    characters,
    play_lines,
)

pytestmark = pytest.mark.compilers

SLUGS = ["samurai", "language_survival"]
STARTERS = [(slug, bot) for slug in SLUGS for bot in house_bots(load(slug)) if bot.starter]


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Commands]:
    folder: Path = tmp_path_factory.mktemp("favor")
    return {slug: built(slug, folder) for slug in SLUGS}


def exact_picks(request: Request, line: str) -> None:
    """Five numbers on open turns, two on secret ones: our own bots waste no pick."""
    assert len(line.split()) == (5 if request.step % 2 == 0 else 2), line  # the first ask is turn 1
    assert set(line.split()) <= set("012345"), line


@pytest.mark.exhaustive
@pytest.mark.parametrize("slug", SLUGS)
def test_strengths_are_as_declared_and_nobody_faults(slug: str, commands: dict[str, Commands]) -> None:
    bots = characters(load(slug))
    assert_ordered(bots, above_in_rotations(slug, bots, commands[slug], exact_picks))


@pytest.mark.first(1)
@pytest.mark.parametrize(("slug", "bot"), STARTERS, ids=[f"{slug}-{bot.name}" for slug, bot in STARTERS])
def test_a_starter_never_faults_in_any_seat(slug: str, bot: HouseBot, commands: dict[str, Commands]) -> None:
    others = characters(load(slug))[:3]
    for seat in range(4):
        play_lines(slug, [*others[:seat], bot, *others[seat:]], commands[slug], seat, exact_picks)
