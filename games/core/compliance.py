"""The checks that every game passes, for its author and for CI.

A game brings `checks.py` beside its referee:

    SYMMETRIC: bool               equal for all seats: permuted bots get permuted scores
    player(rng) -> Player         a scripted bot: a function from its requests to random legal raw replies
    other_world(game, seat, rng) -> bool
                                  change, in place, everything the seat must not know now into something
                                  else the rules allow; False when there is nothing of the kind

Each check takes a Subject; `run` raises Noncompliant in words for the game's author. All matches are
played by scripted bots from fixed seeds, so a failure happens again when the check is run again.
"""

from __future__ import annotations

import importlib
import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from games.core import folder
from games.core.breakdown import told
from games.core.driver import Driver, Request
from games.core.game import Game, Illegal, Json
from games.core.manifest import GameInfo
from games.core.ranks import ranks
from games.core.record import FAULT_KINDS, Record, SeatInfo, from_json, to_json
from games.core.replay import differences, replay
from games.core.scripted import Place, Player, play, stages
from games.core.words import LONGEST_REASON

SEEDS = range(4)
LARGEST_FRAME = 4096
MOST_ASKS = 10_000
# Asks that are visited one by one in long games: the first, the last and some between.
MOST_VISITED = 40
OUTSIDE_KINDS = tuple(kind for kind in FAULT_KINDS if kind not in ("start", "illegal"))
_T = TypeVar("_T")
GARBAGE = (
    "", " ", "\r", "\x00", "\ud800", "x" * 70_000, "9" * 5000, "-1", "+1", "1.5", "1e999", "NaN", "null",
    "{}", "[" * 5000, '"', "0 0", "0 1 2 3 4 5 6 7 8 9", "\u0663", "0\u3000" * 5, "True", "__import__('os')",
)  # fmt: skip


class Noncompliant(Exception):
    """The game breaks a promise; str(e) says which, where and how."""


@dataclass(frozen=True)
class Subject:
    """A game under test, and what its checks.py says."""

    info: GameInfo
    symmetric: bool
    player: Callable[[random.Random], Player]
    other_world: Callable[[Game, int, random.Random], bool]


def subject(info: GameInfo) -> Subject:
    """Load a game's checks.py. Raises Noncompliant when something is missing there."""
    module = importlib.import_module(f"games.{info.slug}.checks")
    for name in ("SYMMETRIC", "player", "other_world"):
        if not hasattr(module, name):
            raise Noncompliant(f"games/{info.slug}/checks.py: {name} is missing")
    return Subject(info, module.SYMMETRIC, module.player, module.other_world)


def run(check: Callable[[Subject], None], game: Subject) -> None:
    """Run one check. Raises Noncompliant, also when the game breaks down under it."""
    try:
        check(game)
    except Noncompliant:
        raise
    except Exception as error:
        raise Noncompliant(f"the game breaks down: {told(error, game.info.folder)}") from error


def failures(info: GameInfo) -> list[str]:
    """Run every check; what failed, in words, [] when the game complies."""
    found = []
    for check in CHECKS:
        try:
            run(check, subject(info))
        except Noncompliant as error:
            found.append(f"{check.__name__}: {error}")
    return found


def honest_matches_end_without_faults(game: Subject) -> None:
    """Random legal play is accepted to the end, for every number of seats."""
    for seats in range(game.info.min_seats, game.info.max_seats + 1):
        for seed in SEEDS:
            driver = _match(game, seed, seats=seats)
            _require(not driver.faults, f"seed {seed}: a legal reply was refused: {driver.faults}")
            _require_result(driver, f"seed {seed}")


def equal_matches_are_equal(game: Subject) -> None:
    """Same seed and same replies: the same record, bit for bit."""
    for seed in SEEDS:
        _require_equal(_record(_match(game, seed)), _record(_match(game, seed)), f"seed {seed} played twice")


def records_replay(game: Subject) -> None:
    """A record, written and read again, replays to itself; also one with a fault in it."""
    for seed in SEEDS:
        honest = _record(_match(game, seed))
        middle = honest.turns[len(honest.turns) // 2]
        faulty = _record(_match(game, seed, faults={(middle.turn, middle.seat): ("crash", "it ended")}))
        for record in (honest, faulty):
            read = from_json(to_json(record))
            _require_equal(record, read, f"seed {seed} written and read")
            _require_equal(read, replay(read), f"seed {seed} replayed")


def judging_a_move_changes_nothing(game: Subject) -> None:
    """`move` may be called with anything, any number of times, without an effect on the match."""
    for seed in SEEDS:
        honest = _record(_match(game, seed))
        seen: list[dict[str, Json]] = []
        for stage in stages(game.info, len(honest.seats), seed, _replies(honest)):
            for seat in stage.seats:
                stage.game.view(seat)
                for raw in _garbage(_replies(honest)[stage.ask][seat]):
                    _judge(stage.game, seat, raw)
            seen = stage.game.frames
        _require(seen == list(honest.frames), f"seed {seed}: judging moves changed the frames")


def garbage_is_judged_in_words(game: Subject) -> None:
    """Whatever a bot sends, at whatever ask: the match ends, and a refusal has a readable reason."""
    for turn in _some(_record(_match(game, 0)).turns):
        for raw in _garbage(turn.reply):
            driver = _match(game, 0, garbage={(turn.turn, turn.seat): raw})
            _require_result(driver, f"{str(raw)[:60]!r} at ask {turn.turn}")


def faults_at_any_ask_end_with_a_result(game: Subject) -> None:
    """Every fault kind, of one seat and of all together, at every ask: policy is applied, a result stands."""
    for turn, kind in itertools.product(_some(_record(_match(game, 0)).turns), OUTSIDE_KINDS):
        alone = {(turn.turn, turn.seat): (kind, "x" * 1000)}
        together = {(turn.turn, seat): (kind, "at once") for seat in range(game.info.max_seats)}
        for faults in (alone, together):
            driver = _match(game, 0, faults=faults)
            _require(bool(driver.faults), f"{kind} at ask {turn.turn} left no fault")
            _require_result(driver, f"{kind} at ask {turn.turn}")


def bots_that_never_start_leave_a_result(game: Subject) -> None:
    """Any set of bots that cannot be started, all of them included."""
    everyone = range(game.info.max_seats)
    for count in range(1, len(everyone) + 1):
        for seats in itertools.islice(itertools.combinations(everyone, count), 20):
            driver = _match(game, 0, start={seat: ("timeout", "no READY") for seat in seats})
            _require(
                [fault.seat for fault in driver.faults] == list(seats),
                f"expected start faults of seats {seats}, came {driver.faults}",
            )
            _require_result(driver, f"seats {seats} not started")


def hidden_facts_do_not_change_views(game: Subject) -> None:
    """The two-worlds test: what a seat must not know can be changed and its view stays the same."""
    rng = random.Random(0)
    for seed in SEEDS:
        replies = _replies(_record(_match(game, seed)))
        for ask in _some(sorted(replies)):
            for seat in replies[ask]:
                ours, theirs = (_game_at(game, seed, replies, ask) for _ in range(2))
                game.other_world(theirs, seat, rng)
                _require(
                    ours.view(seat) == theirs.view(seat),
                    f"seed {seed}, ask {ask}: the view of seat {seat} shows what it must not know",
                )


def views_fit_the_channel(game: Subject) -> None:
    """Lines that end with a newline, or arguments that a program can be given."""
    for seed in SEEDS:
        for turn in _record(_match(game, seed)).turns:
            where = f"seed {seed}, ask {turn.turn}"
            if game.info.channel == "program":
                _require(isinstance(turn.sent, dict), f"{where}: expected an Invocation")
            else:
                _require(
                    isinstance(turn.sent, str) and turn.sent.endswith("\n"),
                    f"{where}: expected lines that end with a newline",
                )
            _require("\\u0000" not in json.dumps(turn.sent), f"{where}: a view holds a NUL")


def frames_are_small_and_final(game: Subject) -> None:
    """Frames are plain JSON, at most 4 KiB each, and never changed after they were made."""
    for seed in SEEDS:
        made: list[str] = []
        driver = _match(game, seed, watch=partial(_note_frames, made))
        _require(bool(made), f"seed {seed}: there are no frames")
        for i, (before, frame) in enumerate(zip(made, driver.frames, strict=True)):
            after = _plain(frame, f"seed {seed}, frame {i}")
            _require(before == after, f"seed {seed}: frame {i} was changed after it was made")
            _require(len(after) <= LARGEST_FRAME, f"seed {seed}: frame {i} has {len(after)} bytes")


def seats_are_alike(game: Subject) -> None:
    """In a symmetric game, permuted bots get permuted scores."""
    if not game.symmetric:
        return
    for seed in SEEDS:
        home = _match(game, seed)
        order = list(range(home.seats))
        random.Random(seed).shuffle(order)
        away = _match(game, seed, order=order)
        expected = [home.scores[bot] for bot in order]
        _require(
            list(away.scores) == expected,
            f"seed {seed}: bots {order} score {away.scores}, expected {expected}",
        )


def matches_fit_into_match_s(game: Subject) -> None:
    """The manifest's match_s is above what a match can take by its other limits."""
    limits = game.info.limits
    for seed in SEEDS:
        asks = len({turn.turn for turn in _match(game, seed).turns})
        needed = ((limits.ready_ms or 0) + asks * limits.turn_ms) / 1000
        _require(
            limits.match_s > needed,
            f"seed {seed}: {asks} asks may take {needed:g} s, match_s is {limits.match_s}",
        )


def the_folder_is_complete(game: Subject) -> None:
    """A rules page in English that states the limits, two house bots, one to start from, and a viewer."""
    found = [*folder.rules_pages(game.info), *folder.bots(game.info), *folder.viewer(game.info)]
    _require(not found, "; ".join(found))


CHECKS: tuple[Callable[[Subject], None], ...] = (
    the_folder_is_complete,
    honest_matches_end_without_faults,
    equal_matches_are_equal,
    records_replay,
    judging_a_move_changes_nothing,
    garbage_is_judged_in_words,
    faults_at_any_ask_end_with_a_result,
    bots_that_never_start_leave_a_result,
    hidden_facts_do_not_change_views,
    views_fit_the_channel,
    frames_are_small_and_final,
    seats_are_alike,
    matches_fit_into_match_s,
)


def _match(
    game: Subject,
    seed: int,
    *,
    seats: int | None = None,
    order: Sequence[int] | None = None,
    faults: Mapping[Place, tuple[str, str]] | None = None,
    garbage: Mapping[Place, Json] | None = None,
    start: Mapping[int, tuple[str, str]] | None = None,
    watch: Callable[[Driver], None] = lambda driver: None,
) -> Driver:
    """A match of scripted bots. order: the bot in each seat. garbage: sent instead of a legal reply."""
    bots = order or range(seats or game.info.max_seats)
    players = [game.player(random.Random(f"{seed} {bot}")) for bot in bots]
    if garbage:
        players = [_spoilt(player, garbage) for player in players]

    def watched(driver: Driver) -> None:
        _require(driver.turns[-1].turn < MOST_ASKS, f"seed {seed}: no end in sight after {MOST_ASKS} asks")
        watch(driver)

    return play(game.info, players, seed, faults, start, watched)


def _spoilt(player: Player, garbage: Mapping[Place, Json]) -> Player:
    def answer(request: Request) -> Json:
        place = (request.turn, request.seat)
        return garbage[place] if place in garbage else player(request)

    return answer


def _record(driver: Driver) -> Record:
    return driver.record([SeatInfo(f"bot{seat}", "") for seat in range(driver.seats)])


def _replies(record: Record) -> dict[int, dict[int, Json]]:
    replies: dict[int, dict[int, Json]] = {}
    for turn in record.turns:
        replies.setdefault(turn.turn, {})[turn.seat] = turn.reply
    return replies


def _game_at(game: Subject, seed: int, replies: Mapping[int, Mapping[int, Json]], ask: int) -> Game:
    """The game when it waits for the answers to `ask`, nobody having been shown its view."""
    for stage in stages(game.info, game.info.max_seats, seed, replies):
        if stage.ask == ask:
            return stage.game
        for seat in stage.seats:
            stage.game.view(seat)
    raise Noncompliant(f"seed {seed}: the match ends before ask {ask} when it is played again")


def _garbage(honest: Json) -> Iterator[Json]:
    """Bad replies of the same shape as an honest one."""
    if not isinstance(honest, dict):
        yield from GARBAGE
        return
    for text in GARBAGE:
        yield {"appended": text, "stdout": ""}
        yield {**honest, "stdout": text}
        yield {"changed": text}


def _judge(game: Game, seat: int, raw: Json) -> None:
    try:
        game.move(seat, raw)
    except Illegal as error:
        _require(bool(str(error)), f"no reason is given why {str(raw)[:60]!r} is illegal")
    except Exception as error:
        raise Noncompliant(f"{str(raw)[:60]!r} raises {error!r} instead of Illegal") from error


def _some(items: Sequence[_T]) -> Sequence[_T]:
    """All of a few, or MOST_VISITED spread from the first to the last."""
    if len(items) <= MOST_VISITED:
        return items
    return [items[i * (len(items) - 1) // (MOST_VISITED - 1)] for i in range(MOST_VISITED)]


def _note_frames(made: list[str], driver: Driver) -> None:
    """Write down the frames that were not there yet."""
    made += [_plain(frame, f"frame {i}") for i, frame in enumerate(driver.frames) if i >= len(made)]


def _plain(frame: dict[str, Json], where: str) -> str:
    try:
        text = json.dumps(frame, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Noncompliant(f"{where} is not JSON: {error}") from None
    _require(json.loads(text) == frame, f"{where} reads back as something else; use lists and text keys")
    return text


def _require_result(driver: Driver, where: str) -> None:
    """A finished match with a result that agrees with its faults."""
    _require(driver.finished and len(driver.scores) == driver.seats, f"{where}: there is no result")
    _require(driver.ranks == ranks(driver.scores), f"{where}: ranks and scores disagree")
    policy = driver.info.faults
    for fault in driver.faults:
        readable = 0 < len(fault.reason) <= LONGEST_REASON and fault.reason.isprintable()
        _require(readable, f"{where}: not a readable reason: {fault.reason!r}")
        if policy[fault.kind] == "retire":
            later = [turn for turn in driver.turns if turn.seat == fault.seat and turn.turn > fault.turn]
            _require(not later, f"{where}: seat {fault.seat} is asked after it retired")
    losers = {fault.seat for fault in driver.faults if policy[fault.kind] in ("forfeit", "disqualify")}
    for loser, other in itertools.product(losers, set(range(driver.seats)) - losers):
        _require(
            driver.ranks[loser] > driver.ranks[other],
            f"{where}: seat {loser} forfeited and is not behind seat {other}",
        )


def _require_equal(one: Record, two: Record, where: str) -> None:
    found = differences(one, two)
    _require(not found, f"{where}: {found[:3]}")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Noncompliant(otherwise)
