"""Match logs as JSON: canonical out, nothing taken on trust in."""

import dataclasses
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core.compliance.scripted import play
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import load
from games.core.match_log import MatchLog, timed
from games.core.match_log_json import from_json, to_json
from games.core.record import LARGEST_RECORD, BadRecord, SeatInfo
from games.core.timing import SeatTiming, Timing
from games.coup.checks import player
from tests.support.forging import json_values, places, replaced
from tests.support.reasons import said


def coup_log() -> MatchLog:
    faults = {(9, 1): FaultCause(FaultKind.CRASH, said("exit status 1"))}
    driver = play(load("coup"), [player(random.Random(seat)) for seat in range(2)], 7, faults=faults)
    log = driver.log([SeatInfo("Täxman", "ab12"), SeatInfo("b", "")])
    asked = [sum(exchange.seat == seat for exchange in log.exchanges) for seat in range(2)]
    columns = tuple(SeatTiming((7,) * count, (5,) * count, (1,) * count) for count in asked)
    return timed(log, Timing(columns, "2024-01-02T03:04:05+00:00", 1.25))


LOG = coup_log()
DATA = json.loads(to_json(LOG))


def test_a_log_reads_back_as_itself():
    assert from_json(to_json(LOG)) == LOG
    assert from_json(to_json(LOG).encode()) == LOG


def test_the_log_tells_the_fault():
    said_by = {"code": "text", "values": {"text": "exit status 1"}}
    call = {"code": "coup.call", "values": {"call": 10}}
    at = {"code": "at", "values": {"position": call, "reason": said_by}}
    assert DATA["faults"] == [{"kind": "crash", "seat": 1, "step": 9} | at]
    assert DATA["exchanges"][9]["fault"] == {"kind": "crash"} | said_by
    assert DATA["exchanges"][9]["reply"] is None
    assert DATA["scores"] == ["1", "0"]


def test_json_is_canonical_ascii():
    text = to_json(LOG)
    assert text.isascii()
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) + "\n"


def test_odd_characters_survive():
    odd = dataclasses.replace(LOG, seats=(SeatInfo("\ud800\x00\u2028", ""), LOG.seats[1]))
    assert from_json(to_json(odd)) == odd


WRONG = [
    ("format", 3, "format: expected 2, got 3"),
    ("format", True, "format: expected a whole number from 0 to 2147483648, got true"),
    ("game", None, "game: expected text, got null"),
    ("version", 1, "version: expected text, got the number 1"),
    ("seed", 1.5, "seed: expected a whole number .*, got the number 1.5"),
    ("seed", 10**400, "seed: expected a whole number .*, got a huge number"),
    ("seats", {}, "seats: expected a list, got an object"),
    ("seats", [], "seats: expected 1 to 64, got 0"),
    ("seats", [{"name": "a", "submission": ""}] * 65, "seats: expected 1 to 64, got 65"),
    ("seats", [{"name": "a"}], r"seats\[0\].submission: missing"),
    ("seats", [{"name": "a", "submission": "", "x": 1}], r"seats\[0\].x: no such field"),
    ("exchanges", [[]], r"exchanges\[0\]: expected an object, got a list"),
    ("frames", ["x"], r"frames\[0\]: expected an object, got text 'x'"),
    (
        "faults",
        [{"seat": 2, "kind": "crash", "step": 0, "reason": ""}],
        r"faults\[0\].seat: expected a whole number",
    ),
    (
        "faults",
        [{"seat": 1, "kind": "x", "step": 0, "reason": ""}],
        r"faults\[0\].kind: expected one of start timeout",
    ),
    (
        "faults",
        [{"seat": 1, "kind": [], "step": 0, "reason": ""}],
        r"faults\[0\].kind: expected .*, got a list",
    ),
    ("scores", ["1"], "scores: expected one for each of 2 seats, got 1"),
    ("scores", ["1", 0], r"scores\[1\]: expected an exact number as text"),
    ("scores", ["1", "1/0"], r"scores\[1\]: expected an exact number"),
    ("scores", ["1", "1e999"], r"scores\[1\]: expected an exact number"),
    ("scores", ["1", "9" * 50], r"scores\[1\]: expected an exact number"),
    ("scores", ["1", "\u0663"], r"scores\[1\]: expected an exact number"),
    ("ranks", [0, 1], r"ranks\[0\]: expected a whole number from 1 to 2, got the number 0"),
    ("summary", [], "summary: expected an object, got a list"),
    ("started", 7, "started: expected text"),
    ("seconds", "1", "seconds: expected seconds, got text '1'"),
    ("seconds", -1, "seconds: expected seconds"),
    ("seconds", 10**400, "seconds: expected seconds, got a huge number"),
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
    ("field", "value", "words"),
    [
        ("step", -1, r"exchanges\[3\].step: expected a whole number"),
        ("seat", "0", r"exchanges\[3\].seat: expected a whole number from 0 to 1, got text '0'"),
        ("wall_us", 1.0, r"exchanges\[3\].wall_us: expected a whole number"),
        ("fault", "crash", r"exchanges\[3\].fault: expected an object"),
        ("fault", {"kind": "bored", "reason": ""}, r"exchanges\[3\].fault.kind: expected one of"),
        ("reply", [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]], r"exchanges\[3\].reply: nested more than 16 deep"),
    ],
)
def test_a_wrong_field_of_an_exchange_is_named(field, value, words):
    exchanges = [dict(exchange) for exchange in DATA["exchanges"]]
    exchanges[3][field] = value
    with pytest.raises(BadRecord, match=f"^{words}"):
        from_json(json.dumps({**DATA, "exchanges": exchanges}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a record"),
        ("[]", "the record: expected an object, got a list"),
        ("null", "the record: expected an object, got null"),
        (b"\xff\xfe", "not a record"),
        ('{"seed": NaN}', "not a record: NaN is not JSON"),
        ('{"seconds": 1e999}', "not a record: 1e999 is too large a number"),
        ('{"seed": ' + "9" * 5000 + "}", "not a record"),
        ("[" * 100_000, "not a record: nested too deeply"),
        (b" " * (LARGEST_RECORD + 1), "a record has at most 33554432 bytes, this has 33554433"),
    ],
)
def test_what_is_no_record_at_all_is_refused(text, words):
    with pytest.raises(BadRecord, match=f"^{words}"):
        from_json(text)


PLACES = [path for path in places(DATA) if path]


@given(st.sampled_from(PLACES), json_values)
def test_a_forged_log_is_refused_or_read(path, value):
    """Whatever is put wherever: BadRecord, or a log that is written as it was read."""
    try:
        forged = from_json(json.dumps(replaced(DATA, path, value)))
    except BadRecord:
        return
    assert from_json(to_json(forged)) == forged
