"""What is no move, at every ask of every game: one table, and what each game makes of its lines.

Processes are not needed here: late, dead and mutating bots are in tests/agon/contest/test_bad_input.py.
Bytes that are no UTF-8 come from there as text with backslashes. Lines longer than a game needs are a flood
there, but a record may have them.
"""

import random
from typing import TypeAlias

import pytest

from agon.contest.reasons import english
from games.core.compliance.checks import game_under_test
from games.core.compliance.scripted import play, stages
from games.core.faults import OUTSIDE_KINDS, FaultCause
from games.core.game import Illegal
from games.core.manifest import all_games, load
from games.core.reason_texts import named
from tests.support.reasons import said

LONG = "x" * 65536
RPS = "expected R, P or S, got "
ACTION = "expected [0], [1, type, square], [2, camel], [3, camel] or [4, camel], got "
BET = "expected [2, camel] of plain whole numbers, got "
# What is said in each game, and what comes of it: words of a refusal, or the move that it is taken for.
# The two games of favor are one here: on secret turns the first two picks count.
Row: TypeAlias = tuple[str, str | tuple[int, ...]]
KINDS: dict[str, dict[str, Row]] = {
    "garbage": {
        "honest_rps": ("what?", RPS + "'what?'"),
        "camel_up": ("what?", ACTION + "'what?'"),
        "favor": ("what?", (0, 0, 0, 0, 0)),
    },
    "nothing": {
        "honest_rps": ("", RPS + "an empty line"),
        "camel_up": ("", ACTION + "an empty line"),
        "favor": ("", (0, 0, 0, 0, 0)),
    },
    "blanks": {
        "honest_rps": (" \t", RPS + "an empty line"),
        "camel_up": (" \t", ACTION + "an empty line"),
        "favor": (" \t", (0, 0, 0, 0, 0)),
    },
    "too few": {
        "honest_rps": ("", RPS + "an empty line"),
        "camel_up": ("[2]", "expected [2, camel], got '[2]'"),
        "favor": ("4", (4, 0, 0, 0, 0)),
    },
    "too many": {
        "honest_rps": ("RP", RPS + "'RP'"),
        "camel_up": ("[2, 3, 4, 5]", (2, 3)),
        "favor": ("4 3 2 1 0 5 5", (4, 3, 2, 1, 0)),
    },
    "out of range": {
        "honest_rps": ("X", RPS + "'X'"),
        "camel_up": ("[2, 5]", "expected a camel from 0 to 4, got 5"),
        "favor": ("4 6 7 99 4", (4, 0, 0, 0, 4)),
    },
    "negative": {
        "honest_rps": ("-R", RPS + "'-R'"),
        "camel_up": ("[2, -1]", "expected a camel from 0 to 4, got -1"),
        "favor": ("4 -1 4 4 4", (4, 0, 4, 4, 4)),
    },
    "a fraction": {
        "honest_rps": ("1.5", RPS + "'1.5'"),
        "camel_up": ("[2, 1.5]", BET + "'[2, 1.5]'"),
        "favor": ("1.5 4 4 4 4", (0, 4, 4, 4, 4)),
    },
    "a wrong type": {
        "honest_rps": ("0", RPS + "'0'"),
        "camel_up": ('["2", 3]', ACTION + "'[\"2\", 3]'"),
        "favor": ("'4' 4 4 4 4", (0, 4, 4, 4, 4)),
    },
    "null": {
        "honest_rps": ("None", RPS + "'None'"),
        "camel_up": ("[2, null]", BET + "'[2, null]'"),
        "favor": ("null 4 4 4 4", (0, 4, 4, 4, 4)),
    },
    "NaN": {
        "honest_rps": ("NaN", RPS + "'NaN'"),
        "camel_up": ("[2, NaN]", BET + "'[2, NaN]'"),
        "favor": ("NaN 4 4 4 4", (0, 4, 4, 4, 4)),
    },
    "infinity": {
        "honest_rps": ("inf", RPS + "'inf'"),
        "camel_up": ("[2, Infinity]", BET + "'[2, Infinity]'"),
        "favor": ("inf 4 4 4 4", (0, 4, 4, 4, 4)),
    },
    "huge": {
        "honest_rps": ("1" * 400, RPS + f"'{'1' * 120}'... (400 characters)"),
        "camel_up": (
            "[2, " + "7" * 400 + "]",
            f"expected a camel from 0 to 4, got {'7' * 20}... (400 digits)",
        ),
        "favor": ("4" * 400 + " 4 4 4 4", (0, 4, 4, 4, 4)),
    },
    "hugest": {
        "honest_rps": ("1" * 5000, RPS + f"'{'1' * 120}'... (5000 characters)"),
        "camel_up": ("[2, " + "7" * 5000 + "]", ACTION + f"'[2, {'7' * 76}'... (5005 characters)"),
        "favor": ("4" * 5000 + " 4 4 4 4", (0, 4, 4, 4, 4)),
    },
    "CRLF": {
        "honest_rps": ("R\r", "R"),
        "camel_up": ("[2, 3]\r", (2, 3)),
        "favor": ("4 4 4 4 4\r", (4, 4, 4, 4, 4)),
    },
    "blanks around it": {
        "honest_rps": ("  S ", "S"),
        "camel_up": ("  [2,3] ", (2, 3)),
        "favor": ("  4\t 4   4 4 4 ", (4, 4, 4, 4, 4)),
    },
    "NUL": {
        "honest_rps": ("R\x00", RPS + "'R\\x00'"),
        "camel_up": ("[2, 3\x00]", ACTION + "'[2, 3\\x00]'"),
        "favor": ("4\x00 4 4 4 4", (0, 4, 4, 4, 4)),
    },
    "no UTF-8": {
        "honest_rps": ("\\xff", RPS + "'\\\\xff'"),
        "camel_up": ("[2, \\xff]", ACTION + "'[2, \\\\xff]'"),
        "favor": ("\\xff 4 4 4 4", (0, 4, 4, 4, 4)),
    },
    "another alphabet's digits": {
        "honest_rps": ("\u0660", RPS + "'\u0660'"),
        "camel_up": ("[2, \u0663]", ACTION + "'[2, \u0663]'"),
        "favor": ("\u0664 4 4 4 4", (0, 4, 4, 4, 4)),
    },
    "without end": {
        "honest_rps": (LONG, RPS + f"'{'x' * 120}'... (65536 characters)"),
        "camel_up": (LONG, ACTION + f"'{'x' * 80}'... (65536 characters)"),
        "favor": (LONG, (0, 0, 0, 0, 0)),
    },
    "nested": {
        "honest_rps": ("[" * 9000, RPS + f"'{'[' * 120}'... (9000 characters)"),
        "camel_up": ("[" * 9000, ACTION + f"'{'[' * 80}'... (9000 characters)"),
        "favor": ("[" * 9000, (0, 0, 0, 0, 0)),
    },
    "READY first": {
        "honest_rps": ("READY R", RPS + "'READY R'"),
        "camel_up": ("READY [2, 3]", ACTION + "'READY [2, 3]'"),
        "favor": ("READY 4 4 4 4", (0, 4, 4, 4, 4)),
    },
}
LINE_GAMES = ("honest_rps", "camel_up", "samurai", "language_survival")
# In the words of the page: the moments of each game's first asks.
MOMENTS = {
    "honest_rps": ("round 1, claim", "round 1, throw", "round 2, claim"),
    "camel_up": ("turn 1", "turn 2", "turn 3"),
    "samurai": ("turn 1, day", "turn 2, night", "turn 3, day"),
    "language_survival": ("turn 1, weekday", "turn 2, holiday", "turn 3, weekday"),
    "coup": ("call 1", "call 2", "call 3"),
}


def honest(slug, seed=1):
    """A match of the game's scripted bots: (the players, its replies by ask and seat)."""
    game = game_under_test(load(slug))

    def players():
        return [game.player(random.Random(f"{seed} {seat}")) for seat in range(game.info.max_seats)]

    replies = {}
    for exchange in play(game.info, players(), seed).exchanges:
        replies.setdefault(exchange.step, {})[exchange.seat] = exchange.reply
    return players, replies


def judged(game, seat, raw):
    """The move, or the words of the refusal."""
    try:
        return game.move(seat, raw)
    except Illegal as refusal:
        return english(named(game, refusal.reason))


def row(kind, slug):
    return KINDS[kind]["favor" if slug in ("samurai", "language_survival") else slug]


def is_refusal(outcome):
    return str(outcome).startswith("expected ")


def test_the_table_is_about_every_game():
    assert set(LINE_GAMES) == {info.slug for info in all_games() if info.channel != "program"}
    assert set(MOMENTS) == {info.slug for info in all_games()}


@pytest.mark.parametrize("slug", LINE_GAMES)
def test_every_line_of_the_table_is_judged_alike_at_every_ask(slug):
    _, replies = honest(slug)
    for stage in stages(load(slug), load(slug).max_seats, 1, replies):
        for seat in stage.seats:
            stage.game.view(seat)
            for kind in KINDS:
                line, outcome = row(kind, slug)
                move = judged(stage.game, seat, line)
                picked = slug in ("samurai", "language_survival")
                assert move == (outcome[: len(move)] if picked else outcome), (kind, stage.step)


@pytest.mark.parametrize("slug", LINE_GAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_match_with_such_a_line_ends_by_the_declared_policy(slug, kind):
    players, replies = honest(slug)
    info, (line, outcome) = load(slug), row(kind, slug)
    for ask in (0, 1, 2):
        seat = min(replies[ask])
        bots = players()
        bots[seat] = struck(bots[seat], ask, line)
        driver = play(info, bots, 1)
        if not is_refusal(outcome):
            assert (driver.faults, driver.retired) == ([], set())
            continue
        [fault] = driver.faults
        assert (fault.seat, fault.kind, fault.step) == (seat, "illegal", ask)
        whole = f"{MOMENTS[slug][ask]}: {outcome}"
        assert english(fault.reason) == (whole if len(whole) <= 200 else whole[:197] + "...")
        if info.faults["illegal"] == "disqualify":
            assert (driver.ranks[seat], len(driver.exchanges)) == (2, 2 * (ask + 1))
        else:
            assert driver.frames[ask + 1]["action"] == [0]
            assert any(exchange.seat == seat and exchange.step > ask for exchange in driver.exchanges)


def struck(player, ask, raw):
    return lambda request: raw if request.step == ask else player(request)


# Coup: what is appended, what is printed, what becomes of the file

APPENDED = {
    "garbage": "?!",
    "nothing": "",
    "no newline at the end": "I",
    "too many": "pp",
    "out of range": "Z",
    "a number": "1",
    "NaN": "Na",
    "CRLF": "\r\n",
    "a newline too many": "p\n",
    "blanks around it": " p",
    "NUL": "\0",
    "no UTF-8": r"\xff",
    "another alphabet's letter": "\u0420",
    "the wrong case": "Q",
    "a block of nothing": "d",
}
PRINTED = ("", "~", "~^*!$", "^^^^", "1 2", "NaN", "9" * 5000, "\0", r"\xff", "keep both", "\u0420")
CHANGED = (
    "it is gone, no longer a regular file, or far too large",
    "what it held (4 bytes) is no longer there",
    "5000 bytes were appended, which begin 'xxxx'; no move is longer than 4096",
)


def test_whatever_is_appended_to_the_history_is_judged_in_words_at_every_call():
    for seed in range(20):
        _, replies = honest("coup", seed)
        for stage in stages(load("coup"), 2, seed, replies):
            [seat] = stage.seats
            legal = list(dict.fromkeys(stage.game.view(seat).args[3:]))
            shown = repr(legal[0]) if len(legal) == 1 else "one of " + " ".join(map(repr, legal))
            expected = f"expected {shown} appended to the history file"
            for kind, text in APPENDED.items():
                if text not in legal:
                    got = repr(text) if text else "nothing"
                    reply = {"appended": text, "stdout": ""}
                    assert judged(stage.game, seat, reply) == f"{expected}, got {got}", kind
            for words in CHANGED:
                assert (
                    judged(stage.game, seat, {"changed": said(words).to_data()})
                    == f"{expected} and nothing else changed; {words}"
                )


def test_whatever_is_printed_at_an_exchange_is_judged_in_words():
    exchanges = 0
    for seed in range(40):
        _, replies = honest("coup", seed)
        for stage in stages(load("coup"), 2, seed, replies):
            [seat] = stage.seats
            cards = stage.game.view(seat).args[2]
            if len(cards) < 3:
                continue
            exchanges += 1
            for text in PRINTED:
                said = judged(stage.game, seat, {"appended": "\n", "stdout": text})
                shown = f"{text[:40]!r}... (5000 characters)" if len(text) > 40 else repr(text)
                got = shown if text else "nothing"
                allowed = len(text) == len(cards) - 2 and all(text.count(c) <= cards.count(c) for c in text)
                refusal = f"expected {len(cards) - 2} of the cards {cards} on standard output, got {got}"
                assert said == (("\n", text) if allowed else refusal)
    assert exchanges > 20


@pytest.mark.parametrize("ask", [0, 1, 2])
@pytest.mark.parametrize("kind", APPENDED)
def test_an_illegal_move_of_coup_forfeits(ask, kind):
    players, replies = honest("coup", 2)
    [seat] = replies[ask]
    bots = players()
    bots[seat] = struck(bots[seat], ask, {"appended": APPENDED[kind], "stdout": ""})
    driver = play(load("coup"), bots, 2)
    [fault] = driver.faults
    assert (fault.seat, fault.kind, fault.step, driver.scores[seat], driver.scores[1 - seat]) == (
        seat, "illegal", ask, 0, 1,
    )  # fmt: skip
    assert english(fault.reason).startswith(f"{MOMENTS['coup'][ask]}: expected ")
    assert ", got " in english(fault.reason)
    assert len(driver.exchanges) == ask + 1


# Late, dead, flooding and greedy bots, as the arena reports them


@pytest.mark.first(2)
@pytest.mark.slow
@pytest.mark.parametrize("slug", MOMENTS)
def test_whoever_fails_at_whatever_ask_the_match_ends_by_the_declared_policy(slug):
    players, replies = honest(slug)
    info = load(slug)
    for ask, asked in replies.items():
        for seat in asked:
            kind = OUTSIDE_KINDS[(ask + seat) % len(OUTSIDE_KINDS)]
            driver = play(
                info,
                players(),
                1,
                faults={(ask, seat): FaultCause(kind, said("gave no answer"))},
            )
            assert [tuple(fault[:3]) for fault in driver.faults] == [(seat, kind, ask)]
            assert english(driver.faults[0].reason).endswith(": gave no answer")
            if info.faults[kind] in ("forfeit", "disqualify"):
                assert driver.ranks[seat] == info.max_seats
                assert max(exchange.step for exchange in driver.exchanges) == ask
            else:
                assert driver.retired == ({seat} if info.faults[kind] == "retire" else set())
                asked_later = any(
                    exchange.seat == seat and exchange.step > ask for exchange in driver.exchanges
                )
                assert asked_later == (info.faults[kind] == "default" and plays_on(driver, seat, ask))


def plays_on(driver, seat, ask):
    """Has the seat another turn after this one, by the frames?"""
    return any(frame.get("seat") == seat and frame["turn"] > ask + 1 for frame in driver.frames)
