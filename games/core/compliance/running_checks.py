"""Checks of what a game's public.py shows of a match that is still being played."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from games.core.compliance.harness import (
    GameUnderTest,
    fits,
    logged,
    match,
    matches_of_all_kinds,
    replies_of,
    require,
    sample_evenly,
    story_of,
)
from games.core.compliance.scripted import Replies, stages
from games.core.game import Game, Illegal, Invocation, Json
from games.core.public import is_watchable, public_frames, running_log

SEEDS = range(2)
VISITED = 8  # steps of a match at which what is hidden is changed
FOLLOWED = 3  # questions to a seat after that


class Shown(NamedTuple):
    """What spectators get to see between two questions to a seat, and the second of these questions."""

    frames: Sequence[Mapping[str, Json]]
    view: str | Invocation


def running_matches_show_what_every_seat_knows(game: GameUnderTest) -> None:
    """public.py, if there is one, shows no more than each seat knows.

    What a seat must not know is changed, or another seat answers differently. As long as the seat is sent the
    same, spectators of the running match must see the same.
    """
    if not is_watchable(game.info.slug):
        return
    rng = random.Random(0)
    for seed in SEEDS:
        replies = replies_of(logged(match(game, seed)))
        for step in sample_evenly(sorted(replies), VISITED):
            for seat in range(game.info.max_seats):
                for there in _other_worlds(game, seed, replies, step, seat, rng):
                    here = _shown_from(game, seed, replies, step, seat)
                    _require_alike(there, here, f"seed {seed}, after step {step}", seat)


def running_matches_can_be_shown(game: GameUnderTest) -> None:
    """public.py, if there is one, goes together with story.py and moments.py at every point of a match."""
    if not is_watchable(game.info.slug):
        return
    info = game.info
    for where, driver in matches_of_all_kinds(game):
        names = [f"bot{seat}" for seat in range(driver.seats)]
        frames = public_frames(info.slug, driver.frames)
        for count in sample_evenly(range(1, len(frames) + 1), VISITED):
            log = running_log(info.slug, info.version, names, frames[:count], driver.frame_steps[:count])
            texts = [(line.text, line.values) for scene in story_of(log) for line in scene.lines]
            if (info.folder / "moments.py").is_file():
                module = importlib.import_module(f"games.{info.slug}.moments")
                texts += [(moment.text, moment.values) for moment in module.moments(log)]
                stood = len(module.standings(log))
                require(
                    stood == count, f"{where}: moments.py: expected {count} standings of frames, got {stood}"
                )
            for text, values in texts:
                require(fits(text, values), f"{where}: {text!r} has other placeholders than {values}")


def _other_worlds(
    game: GameUnderTest, seed: int, replies: Replies, step: int, seat: int, rng: random.Random
) -> Iterator[Iterator[Shown]]:
    """Matches that differ, from `step` on, in what the seat must not know, and perhaps in what it is sent."""
    yield _shown_from(game, seed, replies, step, seat, lambda other: game.other_world(other, seat, rng))
    for other in replies[step]:
        given = [answers[other] for answers in replies.values() if other in answers]
        for raw in sample_evenly(given, VISITED) if other != seat else []:
            changed = {**replies, step: {**replies[step], other: raw}}
            yield _shown_from(game, seed, changed, step, seat)


def _require_alike(there: Iterator[Shown], here: Iterator[Shown], where: str, seat: int) -> None:
    for other, own in islice(zip(there, here, strict=False), FOLLOWED):
        if other.view != own.view:
            return  # from here on the seat knows
        require(other.frames == own.frames, f"{where}: public.py shows what seat {seat} must not know")


def _shown_from(
    game: GameUnderTest,
    seed: int,
    replies: Replies,
    step: int,
    seat: int,
    change: Callable[[Game], bool] = lambda game: True,
) -> Iterator[Shown]:
    """What spectators see from ask number `step` on, by the questions to a seat.

    change: is made to the game when it waits for the answers to that ask; False if nothing can be changed.
    The match ends when a reply is no longer legal, or when there are none left.
    """
    seen = 0
    try:
        for stage in stages(game.info, game.info.max_seats, seed, replies):
            if stage.step < step:
                seen = len(stage.game.frames)
            elif stage.step == step and not change(stage.game):
                return
            views = {each: stage.game.view(each) for each in stage.seats}
            if stage.step >= step and seat in views:
                yield Shown(public_frames(game.info.slug, stage.game.frames[seen:]), views[seat])
                seen = len(stage.game.frames)
            if not replies.get(stage.step, {}).keys() >= set(stage.seats):
                return  # the recorded match was over sooner
    except Illegal:
        return
