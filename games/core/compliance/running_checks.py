"""Checks of what a game's public.py shows of a match that is still being played."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from games.core.compliance.harness import (
    GameUnderTest,
    fits,
    match,
    match_log_of,
    matches_of_all_kinds,
    replies_of,
    require,
    sample_evenly,
    story_of,
)
from games.core.compliance.scripted import Replies, stages
from games.core.game import Game, Illegal, Invocation, Json
from games.core.manifest import module_of
from games.core.public import is_watchable, public_frames, running_log

SEEDS = range(2)
VISITED = 8  # steps of a match at which hidden facts are changed
FOLLOWED = 3  # questions to a seat that are compared after each change


class Shown(NamedTuple):
    """What spectators see between two questions to a seat, and the second of these questions."""

    frames: Sequence[Mapping[str, Json]]
    view: str | Invocation


def running_matches_show_what_every_seat_knows(game: GameUnderTest) -> None:
    """public.py, if there is one, shows no more than each seat knows.

    The check changes what a seat must not know, or another seat's answer. As long as the seat is sent the
    same as before, spectators of the running match must see the same as before.
    """
    if not is_watchable(game.info.slug):
        return
    rng = random.Random(0)
    for seed in SEEDS:
        replies = replies_of(match_log_of(match(game, seed)))
        for step in sample_evenly(sorted(replies), VISITED):
            for seat in range(game.info.max_seats):
                for changed in _other_worlds(game, seed, replies, step, seat, rng):
                    original = _shown_from(game, seed, replies, step, seat)
                    _require_alike(changed, original, f"seed {seed}, after step {step}", seat)


def running_matches_can_be_shown(game: GameUnderTest) -> None:
    """public.py, if there is one, works together with story.py and moments.py at every point of a match."""
    if not is_watchable(game.info.slug):
        return
    info = game.info
    for where, driver in matches_of_all_kinds(game):
        names = [f"bot{seat}" for seat in range(driver.seats)]
        frames = public_frames(info.slug, driver.frames)
        for count in sample_evenly(range(1, len(frames) + 1), VISITED):
            log = running_log(info.slug, info.version, names, frames[:count], driver.frame_steps[:count])
            texts = [(line.text, line.values) for scene in story_of(log) for line in scene.lines]
            if module := module_of(info.slug, "moments"):
                texts += [(moment.text, moment.values) for moment in module.moments(log)]
                got = len(module.standings(log))
                require(got == count, f"{where}: moments.py: expected {count} standings of frames, got {got}")
            for text, values in texts:
                require(fits(text, values), f"{where}: {text!r} has other placeholders than {values}")


def _other_worlds(
    game: GameUnderTest, seed: int, replies: Replies, step: int, seat: int, rng: random.Random
) -> Iterator[Iterator[Shown]]:
    """Matches that differ, from `step` on, in what the seat must not know, and perhaps in what it is sent."""
    yield _shown_from(game, seed, replies, step, seat, lambda world: game.other_world(world, seat, rng))
    for other_seat in replies[step]:
        given = [answers[other_seat] for answers in replies.values() if other_seat in answers]
        for raw in sample_evenly(given, VISITED) if other_seat != seat else []:
            changed = {**replies, step: {**replies[step], other_seat: raw}}
            yield _shown_from(game, seed, changed, step, seat)


def _require_alike(changed: Iterator[Shown], original: Iterator[Shown], where: str, seat: int) -> None:
    for now, before in islice(zip(changed, original, strict=False), FOLLOWED):
        if now.view != before.view:
            return  # from here on the seat knows of the change
        require(now.frames == before.frames, f"{where}: public.py shows what seat {seat} must not know")


def _shown_from(
    game: GameUnderTest,
    seed: int,
    replies: Replies,
    step: int,
    seat: int,
    change: Callable[[Game], bool] = lambda game: True,
) -> Iterator[Shown]:
    """What spectators see from ask number `step` on, one item for each question to `seat`.

    change: applied to the game while it waits for the answers to that ask; False if it changed nothing.
    The match ends when a reply is no longer legal, or when there are none left.
    """
    seen = 0
    try:
        for stage in stages(game.info, game.info.max_seats, seed, replies):
            if stage.step < step:
                seen = len(stage.game.frames)
            elif stage.step == step and not change(stage.game):
                return
            views = {asked: stage.game.view(asked) for asked in stage.seats}
            if stage.step >= step and seat in views:
                yield Shown(public_frames(game.info.slug, stage.game.frames[seen:]), views[seat])
                seen = len(stage.game.frames)
            if not replies.get(stage.step, {}).keys() >= set(stage.seats):
                return  # the recorded match was over sooner
    except Illegal:
        return
