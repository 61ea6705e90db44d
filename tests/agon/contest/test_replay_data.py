"""What replays are drawn from: the story by frame, the times, marks, the curve, and long matches in parts."""

import dataclasses

import pytest

from agon.contest.replay_data import ENGLISH, MOST_POINTS, PART, Language, first_part, part, whole
from games.core import match_log_json
from games.core.compliance.scripted import play
from games.core.driver import Driver
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import load
from games.core.match_log import timed
from games.core.record import RecordedFault, SeatInfo
from games.core.timing import SeatTiming, Timing
from tests.support.reasons import said


def log_of(slug, bots, seed=1, faults=None):
    driver = play(load(slug), bots, seed, faults)
    return driver.log([SeatInfo(f"bot{seat}", "") for seat in range(driver.seats)])


def lines(data, frame):
    return [(line["seat"], line["text"]) for line in data["told"][frame]["lines"]]


RUSSIAN = {"claims %(move)s": "заявляет: %(move)s", "rock": "камень"}
HONEST, LIAR = (lambda request: "R"), (lambda request: "PS"[request.step % 2])


def test_both_asks_of_a_round_are_told_at_its_frame_with_their_times():
    log = log_of("honest_rps", [HONEST, LIAR])
    times = SeatTiming(tuple(range(1, 501)))
    data = whole(timed(log, Timing((times, times))), ENGLISH)
    assert data["count"] == 250
    assert data["told"][1]["title"] == "Round 2: 6 to 0 points"
    assert lines(data, 1) == [
        (0, "claims rock"),
        (1, "claims paper"),
        (0, "throws rock, as claimed"),
        (1, "throws scissors"),
    ]
    assert [line["us"] for line in data["told"][1]["lines"]] == [3, 3, 4, 4]
    assert data["limit_us"] == load("honest_rps").limits.turn_ms * 1000


def test_a_crash_that_ends_the_match_is_told_and_marked_at_the_last_frame():
    log = log_of(
        "honest_rps",
        [HONEST, LIAR],
        faults={(5, 1): FaultCause(FaultKind.CRASH, said("it\x1bended"))},
    )
    data = whole(log, ENGLISH)
    assert data["count"] == 2
    assert lines(data, 1)[4:] == [
        (0, "claims rock in round 3"),
        (1, "claims paper in round 3"),
        (0, "throws rock in round 3"),
        (1, ""),  # its fault
    ]
    faulty = [line for line in data["told"][1]["lines"] if line["fault"]]
    assert [(line["seat"], line["fault"]["kind"]) for line in faulty] == [(1, "crash")]
    assert "\x1b" not in faulty[0]["fault"]["reason"]
    assert [mark[:3] for mark in data["marks"] if mark[1] == "fault"] == [[1, "fault", 1]]


def test_a_match_that_no_bot_came_to_has_one_place_with_the_reasons():
    driver = Driver(load("coup"), 2, 1)
    driver.start_faults({0: FaultCause(FaultKind.CRASH, said("no such file"))})
    data = whole(driver.log([SeatInfo("a", ""), SeatInfo("b", "")]), ENGLISH)
    assert (data["count"], data["frames"], data["curve"]) == (1, [], [])
    assert data["told"][0]["lines"] == [
        {"seat": 0, "text": "", "us": None, "fault": {"kind": "start", "reason": "no such file"}}
    ]
    assert data["marks"] == [[0, "fault", 0, "no such file"]]


def test_what_answers_no_ask_is_told_with_the_line_before_it_and_the_end_at_the_last_frame():
    log = log_of("camel_up", [lambda request: "[0]"] * 4, seed=4)
    data = whole(log, ENGLISH)
    ended = next(number for number, frame in enumerate(log.frames) if "round" in frame)
    assert any(text.startswith("the round ends") for _, text in lines(data, ended))
    assert not any(text.startswith("the round ends") for _, text in lines(data, ended - 1))
    assert lines(data, len(log.frames) - 1)[-4:] == [
        (seat, f"ends with {score} coins") for seat, score in enumerate(log.scores)
    ]


def test_a_log_that_was_read_from_json_is_told_like_the_one_that_was_replayed():
    log = log_of("honest_rps", [HONEST, LIAR])
    read = match_log_json.from_json(match_log_json.to_json(log))
    assert read.frame_steps == ()
    assert whole(read, ENGLISH) == whole(log, ENGLISH)


def test_texts_are_translated_with_their_terms():
    log = log_of("honest_rps", [HONEST, LIAR])
    data = whole(log, Language(lambda text: RUSSIAN.get(text, text), str))
    assert lines(data, 0)[0] == (0, "заявляет: камень")


@pytest.fixture(scope="module")
def long():
    """10,000 frames each after one ask; an illegal move every fourth time."""
    log = log_of("camel_up", [lambda request: "[0]"] * 4, seed=4)
    [exchange, *_] = log.exchanges
    fault = FaultCause(FaultKind.ILLEGAL, said("no such move"))
    exchanges = tuple(exchange._replace(step=n, fault=fault if n % 4 == 0 else None) for n in range(9_999))
    faults = tuple(RecordedFault(0, fault.kind, n, fault.reason) for n in range(0, 9_999, 4))
    frames = (log.frames[0], *(dict(log.frames[1], turn=n) for n in range(1, 10_000)))
    return dataclasses.replace(
        log, exchanges=exchanges, faults=faults, frames=frames, frame_steps=tuple(range(-1, 9_999))
    )


def test_a_match_of_10000_steps_is_sent_in_parts_that_make_up_the_whole(long):
    head = first_part(long, ENGLISH, at=5000)
    assert (head["count"], head["from"], len(head["frames"])) == (10_000, 4 * PART, PART)
    parts = [part(long, ENGLISH, at) for at in range(0, 10_000, PART)]
    everything = whole(long, ENGLISH)
    assert [frame for replay_part in parts for frame in replay_part["frames"]] == everything["frames"]
    assert [told for replay_part in parts for told in replay_part["told"]] == everything["told"]
    assert part(long, ENGLISH, 10**9)["from"] == 9 * PART


def test_marks_and_the_curve_of_a_long_match_are_bounded(long):
    head = first_part(long, ENGLISH)
    assert len(head["marks"]) <= 2000
    assert len(head["curve"]) <= MOST_POINTS + 1
    assert (head["curve"][0][0], head["curve"][-1][0]) == (0, 9_999)
