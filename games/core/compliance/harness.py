"""The matches that the compliance suite plays, and how it reports a broken promise.

A GameUnderTest is a game with its checks.py (see games/core/compliance/checks.py). Its scripted bots play
from fixed seeds, honestly or with faults and garbage at given steps, so a failure is reproducible.
"""

import importlib
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from games.core.compliance.scripted import Player, SeatStep, play, stages
from games.core.driver import Driver, Request
from games.core.faults import FaultCause, FaultKind, Policy
from games.core.game import Game, Json
from games.core.manifest import GameInfo, module_of
from games.core.match_log import MatchLog
from games.core.ranks import ranks
from games.core.reason import Reason, sentence
from games.core.reason_texts import template_of
from games.core.record import SeatInfo
from games.core.replay import differences
from games.core.story import Scene
from games.core.wording import clip

SEEDS = range(4)
MOST_STEPS = 10_000
# How many steps of a long game are checked one by one: the first, the last and some between.
MOST_VISITED = 40
_CRASH = FaultCause(FaultKind.CRASH, Reason("got_empty_line"))
Twins: TypeAlias = tuple[Mapping[str, Any], Player]
_T = TypeVar("_T")


class Noncompliant(Exception):
    """The game breaks a promise; str(e) says which, where and how."""


@dataclass(frozen=True)
class GameUnderTest:
    """A game and the contents of its checks.py. twins: None if checks.py does not define it."""

    info: GameInfo
    symmetric: bool
    player: Callable[[random.Random], Player]
    other_world: Callable[[Game, int, random.Random], bool]
    twins: Callable[[int], Twins] | None = None


def game_under_test(info: GameInfo) -> GameUnderTest:
    """Load a game's checks.py. Raises Noncompliant if it lacks something."""
    module = importlib.import_module(f"games.{info.slug}.checks")
    for name in ("SYMMETRIC", "player", "other_world"):
        if not hasattr(module, name):
            raise Noncompliant(f"games/{info.slug}/checks.py: {name} is missing")
    twins = getattr(module, "twins", None)
    return GameUnderTest(info, module.SYMMETRIC, module.player, module.other_world, twins)


def match(
    game: GameUnderTest,
    seed: int,
    *,
    seats: int | None = None,
    order: Sequence[int] | None = None,
    faults: Mapping[SeatStep, FaultCause] | None = None,
    garbage: Mapping[SeatStep, Json] | None = None,
    start: Mapping[int, FaultCause] | None = None,
    watch: Callable[[Driver], None] = lambda driver: None,
) -> Driver:
    """A match of scripted bots. order: the bot in each seat. garbage: sent instead of a legal reply."""
    bots = order or range(seats or game.info.max_seats)
    players = [game.player(random.Random(f"{seed} {bot}")) for bot in bots]
    if garbage:
        players = [_with_garbage(player, garbage) for player in players]

    def check_length(driver: Driver) -> None:
        require(
            driver.exchanges[-1].step < MOST_STEPS, f"seed {seed}: no end in sight after {MOST_STEPS} steps"
        )
        watch(driver)

    return play(game.info, players, seed, faults, start, check_length)


def _with_garbage(player: Player, garbage: Mapping[SeatStep, Json]) -> Player:
    def answer(request: Request) -> Json:
        here = (request.step, request.seat)
        return garbage[here] if here in garbage else player(request)

    return answer


def match_log_of(driver: Driver) -> MatchLog:
    """The log of a finished match."""
    return driver.log([SeatInfo(f"bot{seat}", "") for seat in range(driver.seats)])


def replies_of(log: MatchLog) -> dict[int, dict[int, Json]]:
    """{step: {seat: raw reply}}"""
    replies: dict[int, dict[int, Json]] = {}
    for exchange in log.exchanges:
        replies.setdefault(exchange.step, {})[exchange.seat] = exchange.reply
    return replies


def game_at(game: GameUnderTest, seed: int, replies: Mapping[int, Mapping[int, Json]], step: int) -> Game:
    """The game when it waits for the answers to ask number `step`; no seat has been shown its view."""
    for stage in stages(game.info, game.info.max_seats, seed, replies):
        if stage.step == step:
            return stage.game
        for seat in stage.seats:
            stage.game.view(seat)
    raise Noncompliant(f"seed {seed}: the match ends before step {step} when it is played again")


def matches_of_all_kinds(game: GameUnderTest) -> Iterator[tuple[str, Driver]]:
    """Labeled matches: honest ones, some with a crash at one step, some with bots that never started."""
    for seed in SEEDS:
        yield f"seed {seed}", match(game, seed)
    for step, _, seat, *_ in sample_evenly(match_log_of(match(game, 0)).exchanges):
        yield (
            f"a crash at step {step}",
            match(game, 0, faults={(step, seat): _CRASH}),
        )
    everyone = range(game.info.max_seats)
    for seats in [*([seat] for seat in everyone), everyone]:
        start = dict.fromkeys(seats, _CRASH)
        yield f"seats {[*seats]} not started", match(game, 0, start=start)


def story_of(log: MatchLog) -> Sequence[Scene]:
    """The scenes of the match; [] where the game has no story.py."""
    story = module_of(log.game, "story")
    return list(story.tell(log)) if story else []


def fits(text: str, values: Mapping[str, object]) -> bool:
    """Whether there is a value for each of the text's placeholders."""
    try:
        text % values
    except (KeyError, TypeError, ValueError):
        return False
    return True


def sample_evenly(items: Sequence[_T], most: int = MOST_VISITED) -> Sequence[_T]:
    """All items if there are few, else `most` of them, evenly spaced from the first to the last."""
    if len(items) <= most:
        return items
    return [items[i * (len(items) - 1) // (most - 1)] for i in range(most)]


def require(holds: bool, message: str) -> None:
    """Raise Noncompliant with this message unless the condition holds."""
    if not holds:
        raise Noncompliant(message)


def require_equal(first: MatchLog, second: MatchLog, where: str) -> None:
    """Raise Noncompliant with the first differences unless the logs are equal."""
    differing = differences(first, second, ("in the first", "in the second"))
    require(not differing, f"{where}: {'; '.join(differing[:3])}")


def require_readable(reason: Reason, where: str) -> None:
    """Raise Noncompliant unless a reason from the game is one line with a value for each placeholder."""
    words = sentence(reason.map(text=clip), template_of)
    for part in reason.parts():
        text = template_of(part.code)
        require(bool(text), f"{where}: no sentence for {part.code!r} in the game's reasons")
        require(fits(text, part.values), f"{where}: {text!r} has other placeholders than {part.values}")
    require(words.isprintable(), f"{where}: not a readable reason: {words!r}")


def require_result(driver: Driver, where: str) -> None:
    """Raise Noncompliant unless the match is over and its result agrees with its faults."""
    require(driver.finished and len(driver.scores) == driver.seats, f"{where}: there is no result")
    require(driver.ranks == ranks(driver.scores), f"{where}: ranks and scores disagree")
    policy = driver.info.faults
    for fault in driver.faults:
        require_readable(fault.reason, where)
        if policy[fault.kind] == Policy.RETIRE:
            later = [
                exchange
                for exchange in driver.exchanges
                if exchange.seat == fault.seat and exchange.step > fault.step
            ]
            require(not later, f"{where}: seat {fault.seat} is asked after it retired")
    ending = (Policy.FORFEIT, Policy.DISQUALIFY)
    losers = {fault.seat for fault in driver.faults if policy[fault.kind] in ending}
    for loser, other in itertools.product(losers, set(range(driver.seats)) - losers):
        require(
            driver.ranks[loser] > driver.ranks[other],
            f"{where}: seat {loser} forfeited and is not behind seat {other}",
        )
