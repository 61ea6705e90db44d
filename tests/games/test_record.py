"""Records as JSON: canonical out, nothing taken on trust in."""

import dataclasses
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core.compliance.scripted import play
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import load
from games.core.record import LARGEST_RECORD, BadRecord, Record, SeatInfo, from_json, to_json
from games.core.replay import differences, replay
from games.coup.checks import player


def coup_record() -> Record:
    faults = {(9, 1): FaultCause(FaultKind.CRASH, "exit status 1")}
    driver = play(load("coup"), [player(random.Random(seat)) for seat in range(2)], 7, faults=faults)
    return driver.record([SeatInfo("Täxman", "ab12"), SeatInfo("b", "")], "2024-01-02T03:04:05+00:00", 1.25)


RECORD = coup_record()
DATA = json.loads(to_json(RECORD))


def test_a_record_reads_back_as_itself():
    assert from_json(to_json(RECORD)) == RECORD
    assert from_json(to_json(RECORD).encode()) == RECORD


def test_the_record_tells_the_fault():
    assert DATA["faults"] == [{"kind": "crash", "reason": "call 10: exit status 1", "seat": 1, "step": 9}]
    assert DATA["exchanges"][9]["fault"] == {"kind": "crash", "reason": "exit status 1"}
    assert DATA["exchanges"][9]["reply"] is None
    assert DATA["scores"] == ["1", "0"]


def test_json_is_canonical_ascii():
    text = to_json(RECORD)
    assert text.isascii()
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) + "\n"


def test_odd_characters_survive():
    odd = dataclasses.replace(RECORD, seats=(SeatInfo("\ud800\x00\u2028", ""), RECORD.seats[1]))
    assert from_json(to_json(odd)) == odd


@pytest.mark.parametrize("field", ["cpu_us", "wait_us"])
def test_a_time_that_was_not_measured_is_null_or_left_out(field):
    exchanges = tuple(exchange._replace(**{field: None}) for exchange in RECORD.exchanges)
    unmeasured = dataclasses.replace(RECORD, exchanges=exchanges)
    data = json.loads(to_json(unmeasured))
    assert all(exchange[field] is None for exchange in data["exchanges"])
    assert from_json(to_json(unmeasured)) == unmeasured
    for exchange in data["exchanges"]:
        del exchange[field]
    assert from_json(json.dumps(data)) == unmeasured


WRONG = [
    ("format", 3, "format: expected 1 or 2, got 3"),
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


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


PLACES = [path for path in places(DATA) if path]


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@given(st.sampled_from(PLACES), json_values)
def test_a_forged_record_is_refused_or_found_out(path, value):
    """Whatever is put wherever: BadRecord, or a record whose replay tells it from the truth."""
    forged_data = replaced(DATA, path, value)
    try:
        forged = from_json(json.dumps(forged_data))
        again = replay(forged)
    except BadRecord:
        return
    if is_derived(path) and to_json(forged) != to_json(RECORD):
        assert differences(forged, again)


def is_derived(path) -> bool:
    """True for all that follows from seed and replies; names, times and the replies themselves do not."""
    if path[0] in ("seats", "started", "seconds"):
        return False
    return not (
        path[0] == "exchanges" and len(path) > 2 and path[2] in ("reply", "wall_us", "cpu_us", "wait_us")
    )
