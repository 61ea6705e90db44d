"""The checks that every game passes, for its author and for CI.

A game brings `checks.py` beside its referee:

    SYMMETRIC: bool               equal for all seats: permuted bots get permuted scores
    player(rng) -> Player         a scripted bot: a function from its requests to random legal raw replies
    other_world(game, seat, rng) -> bool
                                  change, in place, everything the seat must not know now into something
                                  else the rules allow; False when there is nothing of the kind
    twins(seed) -> (names, Player)
                                  games of channel `function` only. The same bot twice, its moves to be told
                                  from the seed and all that it is shown: as the names that a competitor's
                                  file bot.py would define, and as a scripted bot that reads the lines itself

Each check takes a Subject; `run` raises Noncompliant in words for the game's author. The matches that they
are made of are in games/core/compliance/harness.py.
"""

from __future__ import annotations

import importlib
import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import ModuleType

from games.core.compliance import folder_checks
from games.core.compliance.harness import (
    Noncompliant,
    Subject,
    game_at,
    match,
    recorded,
    replies_of,
    require,
    require_equal,
    require_result,
    some,
    subject,
)
from games.core.compliance.scripted import Player, play, stages
from games.core.driver import Driver
from games.core.errors import told
from games.core.game import Game, Illegal, Json
from games.core.manifest import GameInfo
from games.core.record import FAULT_KINDS, from_json, to_json
from games.core.replay import replay

__all__ = ["CHECKS", "Noncompliant", "Subject", "failures", "run", "subject"]

SEEDS = range(4)
LARGEST_FRAME = 4096
OUTSIDE_KINDS = tuple(kind for kind in FAULT_KINDS if kind not in ("start", "illegal"))
GARBAGE = (
    "", " ", "\r", "\x00", "\ud800", "x" * 70_000, "9" * 5000, "-1", "+1", "1.5", "1e999", "NaN", "null",
    "{}", "[" * 5000, '"', "0 0", "0 1 2 3 4 5 6 7 8 9", "\u0663", "0\u3000" * 5, "True", "__import__('os')",
)  # fmt: skip


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
            driver = match(game, seed, seats=seats)
            require(not driver.faults, f"seed {seed}: a legal reply was refused: {driver.faults}")
            require_result(driver, f"seed {seed}")


def equal_matches_are_equal(game: Subject) -> None:
    """Same seed and same replies: the same record, bit for bit."""
    for seed in SEEDS:
        require_equal(recorded(match(game, seed)), recorded(match(game, seed)), f"seed {seed} played twice")


def records_replay(game: Subject) -> None:
    """A record, written and read again, replays to itself; also one with a fault in it."""
    for seed in SEEDS:
        honest = recorded(match(game, seed))
        middle = honest.turns[len(honest.turns) // 2]
        faulty = recorded(match(game, seed, faults={(middle.turn, middle.seat): ("crash", "it ended")}))
        for record in (honest, faulty):
            read = from_json(to_json(record))
            require_equal(record, read, f"seed {seed} written and read")
            require_equal(read, replay(read), f"seed {seed} replayed")


def judging_a_move_changes_nothing(game: Subject) -> None:
    """`move` may be called with anything, any number of times, without an effect on the match."""
    for seed in SEEDS:
        honest = recorded(match(game, seed))
        seen: list[dict[str, Json]] = []
        for stage in stages(game.info, len(honest.seats), seed, replies_of(honest)):
            for seat in stage.seats:
                stage.game.view(seat)
                for raw in _garbage(replies_of(honest)[stage.ask][seat]):
                    _judge(stage.game, seat, raw)
            seen = stage.game.frames
        require(seen == list(honest.frames), f"seed {seed}: judging moves changed the frames")


def garbage_is_judged_in_words(game: Subject) -> None:
    """Whatever a bot sends, at whatever ask: the match ends, and a refusal has a readable reason."""
    for turn in some(recorded(match(game, 0)).turns):
        for raw in _garbage(turn.reply):
            driver = match(game, 0, garbage={(turn.turn, turn.seat): raw})
            require_result(driver, f"{str(raw)[:60]!r} at ask {turn.turn}")


def faults_at_any_ask_end_with_a_result(game: Subject) -> None:
    """Every fault kind, of one seat and of all together, at every ask: policy is applied, a result stands."""
    for turn, kind in itertools.product(some(recorded(match(game, 0)).turns), OUTSIDE_KINDS):
        alone = {(turn.turn, turn.seat): (kind, "x" * 1000)}
        together = {(turn.turn, seat): (kind, "at once") for seat in range(game.info.max_seats)}
        for faults in (alone, together):
            driver = match(game, 0, faults=faults)
            require(bool(driver.faults), f"{kind} at ask {turn.turn} left no fault")
            require_result(driver, f"{kind} at ask {turn.turn}")


def bots_that_never_start_leave_a_result(game: Subject) -> None:
    """Any set of bots that cannot be started, all of them included."""
    everyone = range(game.info.max_seats)
    for count in range(1, len(everyone) + 1):
        for seats in itertools.islice(itertools.combinations(everyone, count), 20):
            driver = match(game, 0, start={seat: ("timeout", "no READY") for seat in seats})
            require(
                [fault.seat for fault in driver.faults] == list(seats),
                f"expected start faults of seats {seats}, came {driver.faults}",
            )
            require_result(driver, f"seats {seats} not started")


def every_match_can_be_told(game: Subject) -> None:
    """story.py, where there is one, tells any match in words: also one with faults, or that never began."""
    if not (game.info.folder / "story.py").is_file():
        return
    tell = importlib.import_module(f"games.{game.info.slug}.story").tell
    for where, driver in _matches_of_all_kinds(game):
        for scene in tell(recorded(driver)):
            told = [(scene.seat, scene.title, scene.values)]
            told += [(line.seat, line.text, line.values) for line in scene.lines]
            for seat, text, values in told:
                require(seat in (None, *range(driver.seats)), f"{where}: story.py tells of a seat {seat!r}")
                require(_fits(text, values), f"{where}: story.py: {text!r} has other places than {values}")


def hidden_facts_do_not_change_views(game: Subject) -> None:
    """The two-worlds test: what a seat must not know can be changed and its view stays the same."""
    rng = random.Random(0)
    for seed in SEEDS:
        replies = replies_of(recorded(match(game, seed)))
        for ask in some(sorted(replies)):
            for seat in replies[ask]:
                ours, theirs = (game_at(game, seed, replies, ask) for _ in range(2))
                game.other_world(theirs, seat, rng)
                require(
                    ours.view(seat) == theirs.view(seat),
                    f"seed {seed}, ask {ask}: the view of seat {seat} shows what it must not know",
                )


def views_fit_the_channel(game: Subject) -> None:
    """Lines that end with a newline, or arguments that a program can be given."""
    for seed in SEEDS:
        for turn in recorded(match(game, seed)).turns:
            where = f"seed {seed}, ask {turn.turn}"
            if game.info.channel == "program":
                require(isinstance(turn.sent, dict), f"{where}: expected an Invocation")
            else:
                lines = turn.sent if isinstance(turn.sent, str) else ""
                require(lines.endswith("\n"), f"{where}: expected lines that end with a newline")
                number = lines.count("\n")
                alone = game.info.channel != "function" or number == 1
                require(alone, f"{where}: an adapter is asked by one line, came {number}")
            require("\\u0000" not in json.dumps(turn.sent), f"{where}: a view holds a NUL")


def functions_and_lines_play_alike(game: Subject) -> None:
    """A function that the adapter calls gets what the lines tell, and its moves are taken as said."""
    if game.info.channel != "function":
        return
    if game.twins is None:
        raise Noncompliant("checks.py: twins is missing, which games of channel function need")
    for seed in SEEDS:
        twins = [game.twins(100 * seed + seat) for seat in range(game.info.max_seats)]
        spoken = recorded(play(game.info, [speaker for _, speaker in twins], seed))
        called = recorded(play(game.info, [_called(game.info, names) for names, _ in twins], seed))
        require_equal(spoken, called, f"seed {seed}, by lines and by functions")


def frames_are_small_and_final(game: Subject) -> None:
    """Frames are plain JSON, at most 4 KiB each, and never changed after they were made."""
    for seed in SEEDS:
        made: list[str] = []
        driver = match(game, seed, watch=partial(_note_frames, made))
        require(bool(made), f"seed {seed}: there are no frames")
        for i, (before, frame) in enumerate(zip(made, driver.frames, strict=True)):
            after = _plain(frame, f"seed {seed}, frame {i}")
            require(before == after, f"seed {seed}: frame {i} was changed after it was made")
            require(len(after) <= LARGEST_FRAME, f"seed {seed}: frame {i} has {len(after)} bytes")


def seats_are_alike(game: Subject) -> None:
    """In a symmetric game, permuted bots get permuted scores."""
    if not game.symmetric:
        return
    for seed in SEEDS:
        home = match(game, seed)
        order = list(range(home.seats))
        random.Random(seed).shuffle(order)
        away = match(game, seed, order=order)
        expected = [home.scores[bot] for bot in order]
        require(
            list(away.scores) == expected,
            f"seed {seed}: bots {order} score {away.scores}, expected {expected}",
        )


def matches_fit_into_match_s(game: Subject) -> None:
    """The manifest's match_s is above what a match can take by its other limits."""
    limits = game.info.limits
    for seed in SEEDS:
        asks = len({turn.turn for turn in match(game, seed).turns})
        needed = ((limits.ready_ms or 0) + asks * limits.turn_ms) / 1000
        require(
            limits.match_s > needed,
            f"seed {seed}: {asks} asks may take {needed:g} s, match_s is {limits.match_s}",
        )


def the_folder_is_complete(game: Subject) -> None:
    """A rules page in English that states the limits, two house bots, one to start from, and a viewer."""
    found = [
        *folder_checks.rules_pages(game.info),
        *folder_checks.bots(game.info),
        *folder_checks.viewer(game.info),
    ]
    require(not found, "; ".join(found))


CHECKS: tuple[Callable[[Subject], None], ...] = (
    the_folder_is_complete,
    honest_matches_end_without_faults,
    equal_matches_are_equal,
    records_replay,
    judging_a_move_changes_nothing,
    garbage_is_judged_in_words,
    faults_at_any_ask_end_with_a_result,
    bots_that_never_start_leave_a_result,
    every_match_can_be_told,
    hidden_facts_do_not_change_views,
    views_fit_the_channel,
    functions_and_lines_play_alike,
    frames_are_small_and_final,
    seats_are_alike,
    matches_fit_into_match_s,
)


def _matches_of_all_kinds(game: Subject) -> Iterator[tuple[str, Driver]]:
    """Honest ones, one bot ended at an ask, one and all never started; with words that say which it is."""
    for seed in SEEDS:
        yield f"seed {seed}", match(game, seed)
    for turn in some(recorded(match(game, 0)).turns):
        yield (
            f"a crash at ask {turn.turn}",
            match(game, 0, faults={(turn.turn, turn.seat): ("crash", "gone")}),
        )
    everyone = range(game.info.max_seats)
    for seats in [*([seat] for seat in everyone), everyone]:
        start = {seat: ("crash", "it ended") for seat in seats}
        yield f"seats {[*seats]} not started", match(game, 0, start=start)


def _fits(text: str, values: Mapping[str, object]) -> bool:
    try:
        text % values
    except (KeyError, TypeError, ValueError):
        return False
    return True


def _called(info: GameInfo, names: Mapping[str, object]) -> Player:
    """A bot whose file defines `names`, called by the game's adapter."""
    module = ModuleType("bot")
    vars(module).update(names)
    answer: Callable[[str], str] = importlib.import_module(f"games.{info.slug}.adapter").find(module, "bot")
    return lambda request: answer(str(request.view).removesuffix("\n"))


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
        require(bool(str(error)), f"no reason is given why {str(raw)[:60]!r} is illegal")
    except Exception as error:
        raise Noncompliant(f"{str(raw)[:60]!r} raises {error!r} instead of Illegal") from error


def _note_frames(made: list[str], driver: Driver) -> None:
    """Write down the frames that were not there yet."""
    made += [_plain(frame, f"frame {i}") for i, frame in enumerate(driver.frames) if i >= len(made)]


def _plain(frame: dict[str, Json], where: str) -> str:
    try:
        text = json.dumps(frame, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Noncompliant(f"{where} is not JSON: {error}") from None
    require(json.loads(text) == frame, f"{where} reads back as something else; use lists and text keys")
    return text
