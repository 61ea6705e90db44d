"""Replay: an honest record comes out equal, a changed one is found out, in words."""

import dataclasses
import random

import pytest

from games.core.compliance.scripted import play
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import load
from games.core.record import BadRecord, RecordedFault, SeatInfo, from_json, to_json
from games.core.replay import check, differences, log_of, replay
from games.coup.checks import player as coup_player
from games.samurai.checks import player as samurai_player
from tests.support.reasons import said, told


def fault_of(kind):
    return lambda words: FaultCause(kind, said(words))


crash, timeout, flood = map(fault_of, (FaultKind.CRASH, FaultKind.TIMEOUT, FaultKind.FLOOD))


def coup(seed, **struck):
    driver = play(load("coup"), [coup_player(random.Random(seed + seat)) for seat in (1, 2)], seed, **struck)
    return driver.log([SeatInfo("a", "x"), SeatInfo("b", "y")])


def samurai(seed, **struck):
    driver = play(
        load("samurai"), [samurai_player(random.Random(seed + seat)) for seat in range(4)], seed, **struck
    )
    return driver.log([SeatInfo(f"bot{seat}", "") for seat in range(4)])


def refused():
    """A match of Coup that ended by an illegal move at once."""
    driver = play(load("coup"), [lambda request: {"appended": "??", "stdout": ""}] * 2, 5)
    return driver.log([SeatInfo("a", ""), SeatInfo("b", "")])


def answered_at_length():
    """A match of Samurai from before answers had a length: of 64 KiB, which begin with lords."""
    longest = "1 2 3 4 5 ".ljust(1 << 16, "x")
    driver = play(load("samurai"), [lambda request: longest] * 4, 6)
    assert told(driver.faults) == []
    return driver.log([SeatInfo(f"bot{seat}", "") for seat in range(4)])


LOGS = [
    answered_at_length(),
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


@pytest.mark.parametrize("log", LOGS)
def test_a_record_leads_to_its_match_bit_for_bit(log):
    data = to_json(log.record).encode()
    checked = check(data)
    assert checked.differences == []
    assert checked.log == log == log_of(data) == replay(from_json(data))


def forged(log, **changes):
    """The bytes of its record with these changes."""
    return to_json(dataclasses.replace(log.record, **changes)).encode()


def complaints(data):
    try:
        return check(data).differences
    except BadRecord as error:
        return [str(error)]


def test_illegal_moves_are_not_recorded_but_derived():
    log = refused()
    assert log.record.faults == ()
    [fault] = replay(log.record).faults
    assert (fault.kind, fault.step) == (FaultKind.ILLEGAL, 0)


def test_other_scores_are_found():
    log = next(log for log in map(coup, range(1, 50)) if log.scores == ("1", "0"))
    assert complaints(forged(log, scores=("0", "1"))) == [
        "scores[0]: '0' in the record, '1' when played again",
        "scores[1]: '1' in the record, '0' when played again",
    ]


def test_a_fault_that_ended_nothing_is_found():
    log = samurai(1)
    late = RecordedFault(0, FaultKind.CRASH, 2, said("it ended"))
    assert complaints(forged(log, faults=(late,)))
    unasked = RecordedFault(0, FaultKind.CRASH, 99, said("it ended"))
    assert complaints(forged(log, faults=(unasked,))) == ["faults: 1 in the record, 0 when played again"]


def test_faults_in_another_order_are_found():
    log = samurai(2, faults={(2, 1): crash("exit status 1"), (5, 2): flood("a line without end")})
    assert complaints(forged(log, faults=log.record.faults)) == []
    assert complaints(forged(log, faults=log.record.faults[::-1]))


def test_another_seed_is_found():
    assert complaints(forged(coup(1), seed=2))


def test_a_start_fault_is_of_a_bot_that_was_never_asked():
    log = samurai(1)
    words = complaints(forged(log, faults=(RecordedFault(0, FaultKind.START, 3, said("no READY")),)))
    assert words == ["faults: seat 0 answers, so it was started before step 3"]


def test_another_answer_makes_another_match():
    log = samurai(1)
    changed = (("5 5 5 5 5", *log.record.answers[0][1:]), *log.record.answers[1:])
    again = replay(dataclasses.replace(log.record, answers=changed))
    assert differences(log, again)[0].startswith("exchanges[0].reply: ")


def test_at_most_ten_differences_are_told():
    log = samurai(1)
    changed = dataclasses.replace(log, frames=tuple({"x": 1} for _ in log.frames))
    assert len(differences(changed, log)) == 10


def test_true_is_not_one():
    log = samurai(1)
    left, right = (dataclasses.replace(log, summary={"draw": value}) for value in (True, 1))
    assert differences(left, right) == ["summary.draw: True in the record, 1 when played again"]


IMPOSSIBLE = [
    ({"game": "chess"}, r"game: there is no game 'chess'; there are: .*coup"),
    ({"game": "../coup"}, r"game: there is no game '../coup'"),
    ({"version": "0"}, "version: this was played under version '0' of coup, here is version '1'"),
    ({"seats": (SeatInfo("a", ""),)}, "seats: coup has 2 to 2 seats, not 1"),
    ({"answers": ((), ())}, r"answers\[0\]\[0\]: missing: the game goes on and asks in step 0"),
]


@pytest.mark.parametrize(("change", "words"), IMPOSSIBLE)
def test_what_cannot_be_a_match_is_refused_in_words(change, words):
    with pytest.raises(BadRecord, match=f"^{words}"):
        replay(dataclasses.replace(coup(1).record, **change))


def test_answers_after_the_end_are_refused():
    record = coup(1).record
    seat = 1
    count = len(record.answers[seat])
    more = (record.answers[0], (*record.answers[seat], record.answers[seat][-1]))
    with pytest.raises(BadRecord, match=rf"^answers\[1\]\[{count}\]: the match is over before this answer"):
        replay(dataclasses.replace(record, answers=more))


@pytest.mark.parametrize(
    "answer", ["F", {"appended": "F"}, {"appended": "F", "stdout": 1}, {"changed": 1}, None, 7]
)
def test_an_answer_that_no_bot_can_have_given_is_refused(answer):
    record = coup(1).record
    answers = ((answer, *record.answers[0][1:]), record.answers[1])
    words = r"answers\[0\]\[0\]: not what a bot of channel program can have answered"
    with pytest.raises(BadRecord, match=f"^{words}"):
        replay(dataclasses.replace(record, answers=answers))
