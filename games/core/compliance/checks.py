"""The checks that every game must pass, for its author and for CI.

A game has a `checks.py` beside its referee:

    SYMMETRIC: bool               equal for all seats: permuted bots get permuted scores
    player(rng) -> Player         a scripted bot: a function from its requests to random legal raw replies
    other_world(game, seat, rng) -> bool
                                  change in place everything that the seat must not know now into something
                                  else that the rules allow; False if nothing is hidden
    twins(seed) -> (names, Player)
                                  only for games of channel `function`. The same bot twice, whose moves depend
                                  only on the seed and on all that it is shown: as the names that the file
                                  bot.py would define, and as a scripted bot that reads the lines itself

Each check takes a GameUnderTest; `run` raises Noncompliant in words for the game's author. The matches that
the checks play are in games/core/compliance/harness.py.
"""

import importlib
import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import ModuleType

from games.core.compliance import folder_checks, running_checks
from games.core.compliance.harness import (
    SEEDS,
    GameUnderTest,
    Noncompliant,
    fits,
    game_at,
    game_under_test,
    match,
    match_log_of,
    matches_of_all_kinds,
    replies_of,
    require,
    require_equal,
    require_readable,
    require_result,
    sample_evenly,
    story_of,
)
from games.core.compliance.scripted import Player, play, stages
from games.core.driver import Driver
from games.core.errors import describe, ends_the_process
from games.core.faults import OUTSIDE_KINDS, FaultCause, FaultKind
from games.core.game import Game, Illegal, Json
from games.core.manifest import Channel, GameInfo
from games.core.reason import Reason
from games.core.reason_texts import named
from games.core.record import from_json, to_json
from games.core.replay import replay
from games.core.shown_log import MOST_FRAMES

__all__ = ["CHECKS", "GameUnderTest", "Noncompliant", "failures", "game_under_test", "run"]

LARGEST_FRAME = 4096
GARBAGE = (
    "", " ", "\r", "\x00", "\ud800", "x" * 70_000, "9" * 5000, "-1", "+1", "1.5", "1e999", "NaN", "null",
    "{}", "[" * 5000, '"', "0 0", "0 1 2 3 4 5 6 7 8 9", "\u0663", "0\u3000" * 5, "True", "__import__('os')",
)  # fmt: skip


def run(check: Callable[[GameUnderTest], None], game: GameUnderTest) -> None:
    """Run one check. Raises Noncompliant, also if the game raises an exception."""
    try:
        check(game)
    except Noncompliant:
        raise
    except BaseException as error:
        if ends_the_process(error, game.info.folder):
            raise
        raise Noncompliant(f"the game raises an exception: {describe(error, game.info.folder)}") from error


def failures(info: GameInfo) -> list[str]:
    """Run every check; descriptions of what failed, [] if the game complies."""
    result = []
    for check in CHECKS:
        try:
            run(check, game_under_test(info))
        except Noncompliant as error:
            result.append(f"{check.__name__}: {error}")
    return result


def honest_matches_end_without_faults(game: GameUnderTest) -> None:
    """Random legal play is accepted to the end, for every number of seats."""
    for seats in range(game.info.min_seats, game.info.max_seats + 1):
        for seed in SEEDS:
            driver = match(game, seed, seats=seats)
            require(not driver.faults, f"seed {seed}: a legal reply was refused: {driver.faults}")
            require_result(driver, f"seed {seed}")


def legal_answers_are_far_below_the_longest(game: GameUnderTest) -> None:
    """No answer of random legal play has more than half of `answer_bytes`: the rest is a margin."""
    most = game.info.limits.answer_bytes
    for seed in SEEDS:
        for exchange in match(game, seed).exchanges:
            texts = exchange.reply.values() if isinstance(exchange.reply, dict) else [exchange.reply]
            longest = max([len(str(text).encode()) for text in texts])
            require(2 * longest <= most, f"answer_bytes: {most}; a legal answer has {longest} bytes already")


def equal_matches_are_equal(game: GameUnderTest) -> None:
    """Same seed and same replies: the same match log, bit for bit."""
    for seed in SEEDS:
        require_equal(
            match_log_of(match(game, seed)), match_log_of(match(game, seed)), f"seed {seed} played twice"
        )


def records_replay(game: GameUnderTest) -> None:
    """A record that is written and read again replays to itself, even with a fault in it."""
    for seed in SEEDS:
        honest = match_log_of(match(game, seed))
        middle = honest.exchanges[len(honest.exchanges) // 2]
        faulty = match_log_of(
            match(
                game,
                seed,
                faults={(middle.step, middle.seat): FaultCause(FaultKind.CRASH, Reason("got_empty_line"))},
            )
        )
        for log in (honest, faulty):
            read = from_json(to_json(log.record))
            require(read == log.record, f"seed {seed}: the record reads back as another")
            require_equal(log, replay(read), f"seed {seed} replayed")


def judging_a_move_changes_nothing(game: GameUnderTest) -> None:
    """`move` may be called with anything, any number of times, without an effect on the match."""
    for seed in SEEDS:
        honest = match_log_of(match(game, seed))
        frames: list[dict[str, Json]] = []
        for stage in stages(game.info, len(honest.seats), seed, replies_of(honest)):
            for seat in stage.seats:
                stage.game.view(seat)
                for raw in _garbage(replies_of(honest)[stage.step][seat]):
                    _refusal(stage.game, seat, raw)
            frames = stage.game.frames
        require(frames == list(honest.frames), f"seed {seed}: judging moves changed the frames")


def garbage_is_judged_in_words(game: GameUnderTest) -> None:
    """Whatever a bot sends at any ask, the match ends, and a refusal has a readable reason.

    What follows a refusal does not depend on what was refused: at each ask one match is played to its end.
    """
    honest = match_log_of(match(game, 0))
    for exchange in sample_evenly(honest.exchanges):
        waiting = game_at(game, 0, replies_of(honest), exchange.step)
        for seat in {asked.seat for asked in honest.exchanges if asked.step == exchange.step}:
            waiting.view(seat)
        refused = False
        for raw in _garbage(exchange.reply):
            where = f"{str(raw)[:60]!r} at step {exchange.step}"
            reason = _refusal(waiting, exchange.seat, raw)
            if reason is not None:
                require_readable(reason, where)
            if reason is None or not refused:
                require_result(match(game, 0, garbage={(exchange.step, exchange.seat): raw}), where)
            refused = refused or reason is not None


def faults_at_any_ask_end_with_a_result(game: GameUnderTest) -> None:
    """Faults of every kind, of one seat and of all, at every ask: policy is applied, there is a result."""
    for (step, _, seat, *_), kind in itertools.product(
        sample_evenly(match_log_of(match(game, 0)).exchanges), OUTSIDE_KINDS
    ):
        alone = {(step, seat): FaultCause(kind, Reason("got_text", text="x" * 1000))}
        together = {
            (step, seat): FaultCause(kind, Reason("got_empty_line")) for seat in range(game.info.max_seats)
        }
        for faults in (alone, together):
            driver = match(game, 0, faults=faults)
            require(bool(driver.faults), f"{kind} at step {step} left no fault")
            require_result(driver, f"{kind} at step {step}")


def bots_that_never_start_leave_a_result(game: GameUnderTest) -> None:
    """Any set of bots that cannot be started, all of them included, leaves a result."""
    everyone = range(game.info.max_seats)
    for count in range(1, len(everyone) + 1):
        for seats in itertools.islice(itertools.combinations(everyone, count), 20):
            driver = match(
                game, 0, start=dict.fromkeys(seats, FaultCause(FaultKind.TIMEOUT, Reason("got_empty_line")))
            )
            require(
                [fault.seat for fault in driver.faults] == list(seats),
                f"expected start faults of seats {seats}, got {driver.faults}",
            )
            require_result(driver, f"seats {seats} not started")


def every_match_can_be_told(game: GameUnderTest) -> None:
    """story.py, if there is one, tells any match, even with faults, or one that never began."""
    for where, driver in matches_of_all_kinds(game):
        for scene in story_of(match_log_of(driver)):
            texts = [(scene.seat, scene.title, scene.values)]
            texts += [(line.seat, line.text, line.values) for line in scene.lines]
            for seat, text, values in texts:
                require(seat in (None, *range(driver.seats)), f"{where}: story.py names a seat {seat!r}")
                wrong = f"{where}: story.py: {text!r} has other placeholders than {values}"
                require(fits(text, values), wrong)


def hidden_facts_do_not_change_views(game: GameUnderTest) -> None:
    """The two-worlds test: changing what a seat must not know does not change its view.

    No seat may know the draws to come, and frames are for spectators only: views depend on neither.
    """
    rng = random.Random(0)
    for seed in SEEDS:
        replies = replies_of(match_log_of(match(game, seed)))
        for step in sample_evenly(sorted(replies)):
            for seat in replies[step]:
                where = f"seed {seed}, step {step}: the view of seat {seat} shows"
                ours, theirs = (game_at(game, seed, replies, step) for _ in range(2))
                game.other_world(theirs, seat, rng)
                to_come = ours.rng.getstate()
                view = ours.view(seat)
                require(view == theirs.view(seat), f"{where} what it must not know")
                blind = game_at(game, seed, replies, step)
                blind.frames[:] = [{} for _ in blind.frames]
                if ours.rng.getstate() == to_come:  # a view may draw, but not look ahead
                    blind.rng.seed(rng.random())
                require(view == _view_or_error(blind, seat), f"{where} draws to come, or what is in frames")


def _view_or_error(game: Game, seat: int) -> object:
    try:
        return game.view(seat)
    except Exception as error:
        return error


def views_fit_the_channel(game: GameUnderTest) -> None:
    """Views are lines that end with a newline, or arguments that can be passed to a program."""
    for seed in SEEDS:
        for exchange in match_log_of(match(game, seed)).exchanges:
            where = f"seed {seed}, step {exchange.step}"
            if game.info.channel == Channel.PROGRAM:
                require(isinstance(exchange.sent, dict), f"{where}: expected an Invocation")
            else:
                lines = exchange.sent if isinstance(exchange.sent, str) else ""
                require(lines.endswith("\n"), f"{where}: expected lines that end with a newline")
                number = lines.count("\n")
                fits_adapter = game.info.channel != Channel.FUNCTION or number == 1
                require(fits_adapter, f"{where}: an adapter is asked by one line, got {number}")
            require("\\u0000" not in json.dumps(exchange.sent), f"{where}: a view holds a NUL")


def functions_and_lines_play_alike(game: GameUnderTest) -> None:
    """A function called by the adapter gets what the lines hold, and its moves are passed on unchanged."""
    if game.info.channel != Channel.FUNCTION:
        return
    if game.twins is None:
        raise Noncompliant("checks.py: twins is missing, which games of channel function need")
    for seed in SEEDS:
        twins = [game.twins(100 * seed + seat) for seat in range(game.info.max_seats)]
        by_lines = match_log_of(play(game.info, [speaker for _, speaker in twins], seed))
        by_functions = match_log_of(
            play(game.info, [_function_player(game.info, names) for names, _ in twins], seed)
        )
        require_equal(by_lines, by_functions, f"seed {seed}, by lines and by functions")


def frames_are_small_and_final(game: GameUnderTest) -> None:
    """Frames are plain JSON, not too many, at most 4 KiB each, and never changed once they are appended."""
    for seed in SEEDS:
        appended: list[str] = []
        driver = match(game, seed, watch=partial(_append_new_frames, appended))
        require(bool(appended), f"seed {seed}: there are no frames")
        count = len(appended)
        require(count <= MOST_FRAMES, f"seed {seed}: {count} frames; a replay has at most {MOST_FRAMES}")
        for i, (before, frame) in enumerate(zip(appended, driver.frames, strict=True)):
            after = _frame_json(frame, f"seed {seed}, frame {i}")
            require(before == after, f"seed {seed}: frame {i} was changed after it was made")
            require(len(after) <= LARGEST_FRAME, f"seed {seed}: frame {i} has {len(after)} bytes")


def seats_are_alike(game: GameUnderTest) -> None:
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


def the_folder_is_complete(game: GameUnderTest) -> None:
    """A rules page in English that states the limits, two house bots, one to start from, and a viewer."""
    problems = [
        *folder_checks.rules_pages(game.info),
        *folder_checks.bots(game.info),
        *folder_checks.viewer(game.info),
    ]
    require(not problems, "; ".join(problems))


CHECKS: tuple[Callable[[GameUnderTest], None], ...] = (
    the_folder_is_complete,
    honest_matches_end_without_faults,
    legal_answers_are_far_below_the_longest,
    equal_matches_are_equal,
    records_replay,
    judging_a_move_changes_nothing,
    garbage_is_judged_in_words,
    faults_at_any_ask_end_with_a_result,
    bots_that_never_start_leave_a_result,
    every_match_can_be_told,
    hidden_facts_do_not_change_views,
    running_checks.running_matches_show_what_every_seat_knows,
    running_checks.running_matches_can_be_shown,
    views_fit_the_channel,
    functions_and_lines_play_alike,
    frames_are_small_and_final,
    seats_are_alike,
)


def _function_player(info: GameInfo, names: Mapping[str, object]) -> Player:
    """A scripted bot: the functions of `names`, called by the game's adapter."""
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
        yield {"changed": Reason("got_text", text=text).to_data()}


def _refusal(game: Game, seat: int, raw: Json) -> Reason | None:
    """The reason for which the game refuses the move; None if it is legal."""
    try:
        game.move(seat, raw)
    except Illegal as error:
        return named(game, error.reason)
    except Exception as error:
        raise Noncompliant(f"{str(raw)[:60]!r} raises {error!r} instead of Illegal") from error
    return None


def _append_new_frames(known: list[str], driver: Driver) -> None:
    """Append the frames that are new, as JSON."""
    known += [_frame_json(frame, f"frame {i}") for i, frame in enumerate(driver.frames) if i >= len(known)]


def _frame_json(frame: dict[str, Json], where: str) -> str:
    """The frame as JSON. Raises Noncompliant if it cannot be written, or is read back as something else."""
    try:
        text = json.dumps(frame, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Noncompliant(f"{where} is not JSON: {error}") from None
    require(json.loads(text) == frame, f"{where} reads back as something else; use lists and text keys")
    return text
