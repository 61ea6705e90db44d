"""Rules of milestones: stored and read again, and refused with field, what was expected and what was got."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.teaching.kinds import BadValue
from agon.teaching.rules import Accepted, Beats, Joined, Method, RankAbove, from_json, to_json

RULES = st.one_of(
    st.just(Joined()),
    st.just(Accepted()),
    st.builds(Beats, st.integers(1), st.integers(1, 100), st.integers(1, 1000), st.sampled_from(Method)),
    st.builds(RankAbove, st.integers(1), st.sampled_from([80, 90, 95, 99])),
)


@given(RULES)
def test_a_rule_is_read_as_it_was_stored(rule):
    assert from_json(json.loads(json.dumps(to_json(rule)))) == rule


BEATS = {"kind": "beats", "bot": 3, "share": 60, "matches": 100, "method": "fixed"}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "rule: expected an object, got []"),
        ({}, "kind: expected one of joined, accepted, beats, rank_above, got None"),
        ({"kind": "wins"}, "kind: expected one of joined, accepted, beats, rank_above, got 'wins'"),
        ({"kind": ["beats"]}, "kind: expected one of joined, accepted, beats, rank_above, got ['beats']"),
        ({"kind": "joined", "bot": 1}, "rule: expected only kind, got 'bot'"),
        ({"kind": "beats", "bot": 1, "share": 60}, "matches: expected a whole number, got None"),
        ({**BEATS, "share": 0}, "share: expected a whole number from 1 to 100, got 0"),
        ({**BEATS, "share": 101}, "share: expected a whole number from 1 to 100, got 101"),
        ({**BEATS, "share": True}, "share: expected a whole number from 1 to 100, got True"),
        ({**BEATS, "share": 60.5}, "share: expected a whole number from 1 to 100, got 60.5"),
        ({**BEATS, "matches": "100"}, "matches: expected a whole number from 1 to 1000, got '100'"),
        ({**BEATS, "matches": 1001}, "matches: expected a whole number from 1 to 1000, got 1001"),
        ({**BEATS, "bot": None}, "bot: expected a whole number of at least 1, got None"),
        ({**BEATS, "method": "quick"}, "method: expected one of fixed, sequential, got 'quick'"),
        ({**BEATS, "method": []}, "method: expected one of fixed, sequential, got []"),
        (
            {"kind": "rank_above", "bot": 1, "confidence": 50},
            "confidence: expected one of 80, 90, 95, 99, got 50",
        ),
        (
            {"kind": "rank_above", "bot": 1, "confidence": []},
            "confidence: expected one of 80, 90, 95, 99, got []",
        ),
    ],
)
def test_what_is_no_rule_is_refused_with_what_was_expected(value, message):
    with pytest.raises(BadValue) as refused:
        from_json(value)
    assert str(refused.value) == message
