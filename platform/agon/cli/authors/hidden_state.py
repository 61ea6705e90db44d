"""Which attributes of a game some seat must not know: found by playing, not by asking the author.

Two matches in which a seat was shown the same and answered the same are one match to it. Where an attribute
differs between them, the seat cannot know it, so a view that showed it would give a secret away. Such matches
differ in their seed, or in the answer of another seat. Besides, there is what the author says is hidden
(`other_world` in checks.py), and the generator if draws are still to come.
"""

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice
from typing import Any, NamedTuple

from games.core.compliance.harness import GameUnderTest, match, match_log_of, replies_of, sample_evenly
from games.core.compliance.scripted import Replies, stages
from games.core.game import Game, Illegal, Json

DEALS = 300  # seeds whose first steps are compared
SEEDS = range(2)
VISITED = 12  # steps of a match at which an answer is changed
TRIED = 4  # other answers at each of them
FOLLOWED = 6  # steps that are compared from the start, and questions to a seat after a changed answer
_KNOWN = ("seats",)

State = Mapping[str, Any]


class _Shown(NamedTuple):
    """A question to a seat, and the game's attributes at that time."""

    view: object
    state: State


def hidden_attributes(game: GameUnderTest) -> list[str]:
    """Their names, sorted."""
    names = set(_by_deal(game))
    rng = random.Random(0)
    for seed in SEEDS:
        replies = replies_of(match_log_of(match(game, seed)))
        for step in sample_evenly(sorted(replies), VISITED):
            for seat in range(game.info.max_seats):
                names.update(_by_answers(game, seed, replies, step, seat))
            names.update(_by_author(game, seed, replies, step, rng))
    names.discard("rng")
    return sorted(names | ({"rng"} if _draws_later(game) else set()))


def _by_deal(game: GameUnderTest) -> Iterator[str]:
    """Attributes that differ between seeds in which a seat is asked the same all along."""
    replies = replies_of(match_log_of(match(game, 0)))
    seen: dict[tuple[int, tuple[object, ...]], State] = {}
    for seed in range(DEALS):
        views: dict[int, tuple[object, ...]] = {}
        try:
            for stage in islice(stages(game.info, game.info.max_seats, seed, replies), FOLLOWED):
                state = _state(stage.game)
                for seat in stage.seats:
                    views[seat] = (*views.get(seat, ()), stage.game.view(seat))
                    yield from _different(seen.setdefault((seat, views[seat]), state), state)
                if not replies.get(stage.step, {}).keys() >= set(stage.seats):
                    break
        except Illegal:
            continue


def _by_answers(game: GameUnderTest, seed: int, replies: Replies, step: int, seat: int) -> Iterator[str]:
    """Attributes that differ after another answer of another seat, while this one is asked the same."""
    for other_seat in replies[step]:
        given: list[Json] = [answers[other_seat] for answers in replies.values() if other_seat in answers]
        for raw in sample_evenly(given, TRIED) if other_seat != seat else []:
            changed = {**replies, step: {**replies[step], other_seat: raw}}
            pairs = zip(
                _asked(game, seed, replies, step, seat), _asked(game, seed, changed, step, seat), strict=False
            )
            for ours, theirs in islice(pairs, FOLLOWED):
                if ours.view != theirs.view:
                    break
                yield from _different(ours.state, theirs.state)


def _asked(game: GameUnderTest, seed: int, replies: Replies, step: int, seat: int) -> Iterator[_Shown]:
    """The questions to a seat after ask number `step`, as long as all replies are legal."""
    try:
        for stage in stages(game.info, game.info.max_seats, seed, replies):
            state = _state(stage.game) if stage.step > step and seat in stage.seats else {}
            views = {asked: stage.game.view(asked) for asked in stage.seats}
            if state:
                yield _Shown(views[seat], state)
            if not replies.get(stage.step, {}).keys() >= set(stage.seats):
                return
    except Illegal:
        return


def _by_author(
    game: GameUnderTest, seed: int, replies: Replies, step: int, rng: random.Random
) -> Iterator[str]:
    """Attributes that `other_world` changes for a seat that is asked."""
    for stage in stages(game.info, game.info.max_seats, seed, replies):
        if stage.step == step:
            before = _state(stage.game)
            game.other_world(stage.game, stage.seats[0], rng)
            yield from _different(before, _state(stage.game))
            return
        for seat in stage.seats:
            stage.game.view(seat)


def _draws_later(game: GameUnderTest) -> bool:
    """Whether a match draws after its first question."""
    states = []
    for seed in SEEDS:
        for stage in stages(
            game.info, game.info.max_seats, seed, replies_of(match_log_of(match(game, seed)))
        ):
            states.append((seed, stage.game.rng.getstate()))
            for seat in stage.seats:
                stage.game.view(seat)
    return len(set(states)) > len(SEEDS)


def _different(first: State, second: State) -> Iterator[str]:
    for name in first.keys() & second.keys():
        if first[name] != second[name]:
            yield name


def _state(game: Game) -> State:
    """The attributes of a game as plain data. Raises nothing: what cannot be compared is left out."""
    return {name: plain(value) for name, value in vars(game).items() if name not in _KNOWN}


def plain(value: Any, depth: int = 8) -> Any:
    """A value as plain data that can be compared, copied from the game."""
    if isinstance(value, random.Random):
        return value.getstate()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if not depth:
        return type(value).__name__
    if isinstance(value, Mapping):
        return [[plain(key, depth - 1), plain(item, depth - 1)] for key, item in value.items()]
    if isinstance(value, set | frozenset):
        return sorted(repr(plain(item, depth - 1)) for item in value)
    if isinstance(value, list | tuple):
        return [plain(item, depth - 1) for item in value]
    if isinstance(value, Fraction):
        return str(value)
    if hasattr(value, "__dict__"):
        return [[name, plain(item, depth - 1)] for name, item in vars(value).items()]
    return type(value).__name__
