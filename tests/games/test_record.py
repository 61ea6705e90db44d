"""Records as JSON: canonical out, nothing taken on trust in, nothing in it that can be derived or differs by
run."""

import dataclasses
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core import timing
from games.core.compliance.scripted import play
from games.core.driver import Driver, Reply
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import load
from games.core.match_log import MatchLog
from games.core.record import LARGEST_RECORD, BadRecord, SeatInfo, from_json, to_json
from games.core.replay import check
from games.coup.checks import player
from tests.support.forging import json_values, places, replaced
from tests.support.reasons import said

SEATS = [SeatInfo("Täxman", "ab12"), SeatInfo("b", "")]


def coup_log() -> MatchLog:
    faults = {(9, 1): FaultCause(FaultKind.CRASH, said("exit status 1"))}
    driver = play(load("coup"), [player(random.Random(seat)) for seat in range(2)], 7, faults=faults)
    return driver.log(SEATS)


LOG = coup_log()
RECORD = LOG.record
DATA = json.loads(to_json(RECORD))


def test_a_record_reads_back_as_itself():
    assert from_json(to_json(RECORD)) == RECORD
    assert from_json(to_json(RECORD).encode()) == RECORD


def test_it_holds_answers_by_seat_and_what_was_seen_from_outside():
    assert set(DATA) == {"format", "game", "version", "seed", "seats", "answers", "faults", "scores"}
    assert [len(answers) for answers in DATA["answers"]] == [5, 5]
    assert all(set(answer) == {"appended", "stdout"} for answer in DATA["answers"][0])
    assert DATA["answers"][1][4] is None
    said_by = {"code": "text", "values": {"text": "exit status 1"}}
    assert DATA["faults"] == [{"kind": "crash", "seat": 1, "step": 9} | said_by]
    assert DATA["scores"] == ["1", "0"]


def test_json_is_canonical_ascii():
    text = to_json(RECORD)
    assert text.isascii()
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) + "\n"


def test_odd_characters_survive():
    odd = dataclasses.replace(RECORD, seats=(SeatInfo("\ud800\x00\u2028", ""), RECORD.seats[1]))
    assert from_json(to_json(odd)) == odd


def rps(times: random.Random) -> MatchLog:
    """A match whose second bot sends nonsense, in which everything took as long as `times` says."""
    driver = Driver(load("honest_rps"), 2, 3)
    while driver.pending:
        replies = {
            request.seat: Reply(
                "??" if request.seat and request.step == 11 else "R", None, times.randrange(10**6)
            )
            for request in driver.pending
        }
        driver.answer(replies)
    return driver.log(SEATS, f"2024-01-0{times.randint(1, 9)}", times.random())


def test_two_runs_that_differ_in_times_alone_have_equal_records():
    first, second = (rps(random.Random(seed)) for seed in (1, 2))
    assert first != second
    assert to_json(first.record) == to_json(second.record)
    assert timing.to_json(first.timing) != timing.to_json(second.timing)


WRONG = [
    ("format", 5, "format: expected 3, got 5"),
    ("format", True, "format: expected a whole number from 0 to 2147483648, got true"),
    ("game", None, "game: expected text, got null"),
    ("version", 1, "version: expected text, got the number 1"),
    ("seed", 1.5, "seed: expected a whole number .*, got the number 1.5"),
    ("seed", 10**400, "seed: expected a whole number .*, got a huge number"),
    ("seed", None, "seed: withheld until the match's tournament is over"),
    ("seats", {}, "seats: expected a list, got an object"),
    ("seats", [], "seats: expected 1 to 64, got 0"),
    ("seats", [{"name": "a", "submission": ""}] * 65, "seats: expected 1 to 64, got 65"),
    ("seats", [{"name": "a"}], r"seats\[0\].submission: missing"),
    ("seats", [{"name": "a", "submission": "", "x": 1}], r"seats\[0\].x: no such field"),
    ("answers", {}, "answers: expected a list, got an object"),
    ("answers", [[]], "answers: expected one for each of 2 seats, got 1"),
    ("answers", [[], "x"], r"answers\[1\]: expected a list, got text 'x'"),
    (
        "answers",
        [[], ["", [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]],
        r"answers\[1\]\[1\]: nested more than 16 deep",
    ),
    (
        "faults",
        [{"seat": 2, "kind": "crash", "step": 0, "reason": ""}],
        r"faults\[0\].seat: expected a whole",
    ),
    (
        "faults",
        [{"seat": 1, "kind": "x", "step": 0, "reason": ""}],
        r"faults\[0\].kind: expected one of start",
    ),
    (
        "faults",
        [{"seat": 1, "kind": [], "step": 0, "reason": ""}],
        r"faults\[0\].kind: expected .*, got a list",
    ),
    (
        "faults",
        [{"seat": 1, "kind": "illegal", "step": 0, "code": "a", "values": {}}],
        r"faults\[0\].kind: an illegal move",
    ),
    ("scores", ["1"], "scores: expected one for each of 2 seats, got 1"),
    ("scores", ["1", 0], r"scores\[1\]: expected an exact number as text"),
    ("scores", ["1", "1/0"], r"scores\[1\]: expected an exact number"),
    ("scores", ["1", "9" * 50], r"scores\[1\]: expected an exact number"),
]


@pytest.mark.parametrize(("field", "value", "words"), WRONG)
def test_a_wrong_field_is_named(field, value, words):
    with pytest.raises(BadRecord, match=f"^{words}"):
        from_json(json.dumps({**DATA, field: value}))


@pytest.mark.parametrize("field", sorted(DATA))
def test_a_missing_field_is_named(field):
    with pytest.raises(BadRecord, match=f"^{field}: missing"):
        from_json(json.dumps({key: value for key, value in DATA.items() if key != field}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a record"),
        ("[]", "the record: expected an object, got a list"),
        ('{"seed": NaN}', "not a record: NaN is not JSON"),
        (b" " * (LARGEST_RECORD + 1), "a record has at most 33554432 bytes, this has 33554433"),
    ],
)
def test_what_is_no_record_at_all_is_refused(text, words):
    with pytest.raises(BadRecord, match=f"^{words}"):
        from_json(text)


PLACES = [path for path in places(DATA) if path]


@given(st.sampled_from(PLACES), json_values)
def test_a_forged_record_is_refused_or_leads_to_what_it_says(path, value):
    """Whatever is put wherever: it is refused, or a difference is found, or it is the record of another
    match."""
    forged = json.dumps(replaced(DATA, path, value), sort_keys=True, separators=(",", ":")) + "\n"
    try:
        checked = check(forged.encode())
    except BadRecord:
        return
    if not checked.differences:
        assert to_json(checked.log.record) == forged
        assert path[0] in ("seats", "seed", "answers", "faults") or forged == to_json(RECORD)


@pytest.mark.parametrize(
    "rewritten",
    [
        json.dumps(DATA) + "\n",
        to_json(RECORD).rstrip("\n"),
        to_json(RECORD).replace('"T', '"\\u0054', 1),
        json.dumps(dict(reversed(DATA.items())), separators=(",", ":")) + "\n",
    ],
    ids=["spaces", "no newline", "escaped", "order"],
)
def test_the_same_facts_in_other_bytes_are_found(rewritten):
    assert rewritten != to_json(RECORD)
    [difference] = check(rewritten.encode()).differences
    assert difference.startswith("not written as records are: it differs at byte ")
