"""Replay: an honest record comes out equal, a changed one is found out, in words."""

import dataclasses
import random
from functools import partial

import pytest

from games.core.compliance.scripted import play
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import load
from games.core.record import BadRecord, RecordedFault, SeatInfo, from_json, to_json
from games.core.replay import differences, replay
from games.coup.checks import player as coup_player
from games.samurai.checks import player as samurai_player

crash, timeout, flood = (
    partial(FaultCause, kind) for kind in (FaultKind.CRASH, FaultKind.TIMEOUT, FaultKind.FLOOD)
)


def coup(seed, **struck):
    driver = play(load("coup"), [coup_player(random.Random(seed + seat)) for seat in (1, 2)], seed, **struck)
    return driver.record([SeatInfo("a", "x"), SeatInfo("b", "y")])


def samurai(seed, **struck):
    driver = play(
        load("samurai"), [samurai_player(random.Random(seed + seat)) for seat in range(4)], seed, **struck
    )
    return driver.record([SeatInfo(f"bot{seat}", "") for seat in range(4)])


def refused():
    """A match of Coup that ended by an illegal move at once."""
    driver = play(load("coup"), [lambda request: {"appended": "??", "stdout": ""}] * 2, 5)
    return driver.record([SeatInfo("a", ""), SeatInfo("b", "")])


RECORDS = [
    coup(1),
    refused(),
    coup(2, faults={(4, 0): timeout("late")}),
    coup(3, start={1: crash("exec format error")}),
    samurai(1),
    samurai(
        2,
        start={0: timeout("no READY"), 3: crash("no such file")},
    ),
    samurai(
        3,
        faults={
            (2, 1): crash("exit status 1"),
            (5, 2): flood("a line without end"),
        },
    ),
    samurai(4, start={seat: timeout("no READY") for seat in range(4)}),
]


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_replays_to_itself_bit_for_bit(record):
    again = replay(from_json(to_json(record)))
    assert to_json(again) == to_json(record)
    assert differences(record, again) == []


def test_illegal_moves_are_derived_again():
    record = refused()
    excused = dataclasses.replace(record, exchanges=(record.exchanges[0]._replace(fault=None),), faults=())
    first, second = differences(excused, replay(excused))
    assert first.startswith(
        "exchanges[0].fault: None in the record, {'kind': 'illegal', 'reason': \"expected one of"
    )
    assert second == "faults: 0 in the record, 1 when played again"


TAMPERED = [
    (
        {"scores": ("0", "1"), "ranks": (2, 1)},
        [
            "ranks[0]: 2 in the record, 1 when played again",
            "scores[0]: '0' in the record, '1' when played again",
        ],
    ),
    ({"summary": {"calls": 3, "end": "cards"}}, ["summary.calls: 3 in the record, "]),
    ({"summary": {}}, ["summary.calls: only when played again"]),
    ({"faults": (RecordedFault(0, "crash", 1, "x"),)}, ["faults: 1 in the record, 0 when played again"]),
]


@pytest.mark.parametrize(("change", "expected"), TAMPERED)
def test_what_was_changed_is_named(change, expected):
    record = next(record for record in map(coup, range(1, 50)) if record.scores == ("1", "0"))
    forged = dataclasses.replace(record, **change)
    found = complaints(forged)
    assert found
    for words in expected:
        assert any(line.startswith(words) for line in found)


def test_another_seed_is_found():
    assert complaints(dataclasses.replace(coup(1), seed=2))


def complaints(record):
    try:
        return differences(record, replay(record))
    except BadRecord as error:
        return [str(error)]


def test_a_changed_reply_is_found():
    record = samurai(1)
    exchange = record.exchanges[0]
    forged = dataclasses.replace(
        record, exchanges=(exchange._replace(reply="5 5 5 5 5"), *record.exchanges[1:])
    )
    assert differences(forged, replay(forged))[0].startswith("exchanges[4].sent: ")


def test_at_most_ten_differences_are_told():
    record = samurai(1)
    forged = dataclasses.replace(record, frames=tuple({"x": 1} for _ in record.frames))
    assert len(differences(forged, replay(forged))) == 10


def test_true_is_not_one():
    record = samurai(1)
    left, right = (dataclasses.replace(record, summary={"draw": value}) for value in (True, 1))
    assert differences(left, right) == ["summary.draw: True in the record, 1 when played again"]


IMPOSSIBLE = [
    ({"game": "chess"}, r"game: there is no game 'chess'; there are: .*coup"),
    ({"game": "../coup"}, r"game: there is no game '../coup'"),
    ({"version": "0"}, "version: this was played under version '0' of coup, here is version '1'"),
    ({"seats": (SeatInfo("a", ""),)}, "seats: coup has 2 to 2 seats, not 1"),
    ({"exchanges": ()}, r"exchanges\[0\]: missing: the game goes on and asks seat 0"),
]


@pytest.mark.parametrize(("change", "words"), IMPOSSIBLE)
def test_what_cannot_be_a_match_is_refused_in_words(change, words):
    with pytest.raises(BadRecord, match=f"^{words}"):
        replay(dataclasses.replace(coup(1), **change))


def test_turns_after_the_end_are_refused():
    record = coup(1)
    count = len(record.exchanges)
    with pytest.raises(BadRecord, match=rf"^exchanges\[{count}\]: the match is over before this step"):
        replay(dataclasses.replace(record, exchanges=(*record.exchanges, record.exchanges[-1])))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seat": 1}, "expected seat 0 in step 0, got seat 1 in step 0"),
        ({"step": 4}, "expected seat 0 in step 0, got seat 0 in step 4"),
        ({"reply": "F"}, "not what a bot of channel program can have answered"),
        ({"reply": {"appended": "F"}}, "not what a bot of channel program can have answered"),
        ({"reply": {"appended": "F", "stdout": 1}}, "not what a bot of channel program can have answered"),
        ({"reply": None}, "not what a bot of channel program can have answered"),
        ({"fault": FaultCause(FaultKind.START, "x")}, "a bot that answers has been started"),
    ],
)
def test_an_exchange_that_cannot_be_is_refused(change, words):
    record = coup(1)
    forged = dataclasses.replace(
        record, exchanges=(record.exchanges[0]._replace(**change), *record.exchanges[1:])
    )
    with pytest.raises(BadRecord, match=rf"^exchanges\[0\].*{words}"):
        replay(forged)
