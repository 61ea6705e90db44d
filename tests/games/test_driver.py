"""The driver: asks, fault policy, results. Policies are tried on Samurai and Coup with other manifests."""

import dataclasses
from fractions import Fraction

import pytest

from agon.contest.reasons import english
from games.core import record
from games.core.compliance.scripted import play
from games.core.driver import Driver, Reply
from games.core.faults import OUTSIDE_KINDS, FaultCause, FaultKind
from games.core.game import Ask, Game
from games.core.manifest import load, referee
from games.core.record import SeatInfo
from games.samurai.referee import Samurai
from tests.support.reasons import said, told

SAMURAI, COUP = load("samurai"), load("coup")
LATE = FaultCause(FaultKind.TIMEOUT, said("no line within 1000 ms"))


def with_policy(info, policy):
    kinds = {kind: policy for kind in FaultKind}
    return dataclasses.replace(info, faults=kinds)


def lord_1(request):
    return "1 1 1 1 1"


def coup_reply(text, stdout=""):
    return Reply({"appended": text, "stdout": stdout})


def test_an_ask_goes_to_all_its_seats_at_once_with_the_manifests_limit():
    driver = Driver(SAMURAI, 4, 1)
    assert [request.seat for request in driver.pending] == [0, 1, 2, 3]
    assert {(request.step, request.kind, request.limit_ms) for request in driver.pending} == {
        (0, "negotiate", 1000)
    }
    assert not driver.finished


def test_a_game_that_names_its_seats_asks_only_those():
    driver = Driver(COUP, 2, 1)
    assert [request.seat for request in driver.pending] == [0]
    driver.answer({0: coup_reply("I\n")})
    assert [request.seat for request in driver.pending] == [1]


@pytest.mark.parametrize("seats", [0, 1, 3, 5])
def test_the_number_of_seats_is_the_manifests(seats):
    with pytest.raises(ValueError, match=f"samurai has 4 to 4 seats, not {seats}"):
        Driver(SAMURAI, seats, 1)


@pytest.mark.parametrize("seats", [(), (0, 1, 2), (0, 1, 2, 4), (0, 1, 2, 3, 4)])
def test_an_answer_names_exactly_the_seats_asked(seats):
    driver = Driver(SAMURAI, 4, 1)
    with pytest.raises(ValueError, match=r"expected replies of seats \[0, 1, 2, 3\]"):
        driver.answer({seat: Reply("1 1 1 1 1") for seat in seats})


@pytest.mark.parametrize("kind", ["start", "illegal", "late"])
def test_only_faults_that_the_arena_can_see_come_with_a_reply(kind):
    driver = Driver(SAMURAI, 4, 1)
    replies = {seat: Reply("1 1 1 1 1") for seat in range(4)}
    with pytest.raises(ValueError, match=kind):
        driver.answer({**replies, 2: Reply(None, FaultCause(kind, said("words")))})


@pytest.mark.parametrize("kind", OUTSIDE_KINDS)
@pytest.mark.parametrize("policy", ["forfeit", "disqualify"])
def test_a_forfeit_ends_the_match_with_the_last_place(kind, policy):
    driver = play(
        with_policy(SAMURAI, policy),
        [lord_1] * 4,
        1,
        faults={(3, 1): FaultCause(kind, said("words"))},
    )
    assert driver.finished
    assert driver.pending == ()
    assert driver.scores == (1, 0, 1, 1)
    assert driver.ranks == (1, 4, 1, 1)
    assert len(driver.exchanges) == 16


def test_forfeits_at_one_ask_count_together():
    driver = play(with_policy(SAMURAI, "forfeit"), [lord_1] * 4, 1, faults={(3, 0): LATE, (3, 2): LATE})
    assert driver.scores == (0, 1, 0, 1)
    assert driver.ranks == (3, 1, 3, 1)
    assert [fault.seat for fault in driver.faults] == [0, 2]


def test_when_everybody_forfeits_all_are_last_together():
    driver = Driver(with_policy(SAMURAI, "forfeit"), 4, 1)
    driver.answer({seat: Reply(None, LATE) for seat in range(4)})
    assert driver.scores == (0, 0, 0, 0)
    assert driver.ranks == (1, 1, 1, 1)


def test_default_gives_the_default_move_this_once():
    driver = play(with_policy(SAMURAI, "default"), [lord_1] * 4, 1, faults={(1, 3): LATE, (4, 3): LATE})
    assert [frame["picks"][3][0] for frame in driver.frames[1:]] == [1, 0, 1, 1, 0, 1, 1, 1, 1]
    assert [fault.step for fault in driver.faults] == [1, 4]
    assert driver.retired == set()


def test_retire_stops_the_seat_for_good():
    driver = Driver(with_policy(SAMURAI, "retire"), 4, 1)
    driver.answer({0: Reply("1"), 1: Reply(None, LATE), 2: Reply("2"), 3: Reply(None, LATE)})
    assert driver.retired == {1, 3}
    assert [request.seat for request in driver.pending] == [0, 2]


RAISED = FaultCause(FaultKind.CRASH, said("the function raised KeyError"))


@pytest.mark.parametrize("illegal", ["default", "retire", "forfeit"])
def test_a_bot_that_crashed_but_answered_is_not_retired_for_the_crash(illegal):
    """The function raised, and its process waits for the next call: the policy for illegal moves applies."""
    policies = {kind: "retire" for kind in FaultKind} | {FaultKind.ILLEGAL: illegal}
    driver = Driver(dataclasses.replace(SAMURAI, faults=policies), 4, 1)
    driver.answer({0: Reply("raised KeyError", RAISED), 1: Reply("1"), 2: Reply("2"), 3: Reply("3")})
    assert [(fault.seat, fault.kind) for fault in driver.faults] == [(0, "crash")]
    assert driver.retired == ({0} if illegal == "retire" else set())
    assert driver.finished == (illegal == "forfeit")


@pytest.mark.parametrize("crash", ["forfeit", "disqualify", "default"])
def test_another_policy_for_crashes_holds_for_one_that_answered_as_well(crash):
    policies = {kind: "retire" for kind in FaultKind} | {FaultKind.CRASH: crash}
    driver = Driver(dataclasses.replace(SAMURAI, faults=policies), 4, 1)
    driver.answer({0: Reply("raised KeyError", RAISED), 1: Reply("1"), 2: Reply("2"), 3: Reply("3")})
    assert driver.retired == set()
    assert driver.finished == (crash != "default")


def test_a_default_may_be_computed_for_each_seat(monkeypatch):
    def by_seat(self):
        for self.turn in (1, 2):
            moves = yield Ask("negotiate", default=lambda seat: (seat,) * 5)
            self.frame(picks=[list(moves[seat]) for seat in range(4)])
        return [0] * 4

    monkeypatch.setattr(Samurai, "play", by_seat)
    driver = play(SAMURAI, [lord_1] * 4, 1, faults={(0, 2): LATE, (0, 3): LATE})
    assert [frame["picks"] for frame in driver.frames] == [
        [[1] * 5, [1] * 5, [2] * 5, [3] * 5],
        [[1] * 2, [1] * 2, [2] * 5, [3] * 5],
    ]


def test_asks_that_nobody_is_left_to_answer_are_answered_inside():
    driver = play(with_policy(SAMURAI, "retire"), [lord_1] * 4, 1, start={seat: LATE for seat in range(4)})
    assert driver.finished
    assert driver.exchanges == []
    assert len(driver.frames) == 10


def test_a_bot_that_is_not_started_forfeits_where_the_policy_says_so():
    driver = Driver(COUP, 2, 1)
    driver.start_faults({1: FaultCause(FaultKind.CRASH, said("exec format error"))})
    assert driver.finished
    assert driver.pending == ()
    assert driver.scores == (1, 0)
    assert told(driver.faults) == [(1, "start", 0, "exec format error")]


def test_two_bots_that_are_not_started_both_lose():
    driver = Driver(COUP, 2, 1)
    driver.start_faults(
        {
            0: FaultCause(FaultKind.CRASH, said("a")),
            1: FaultCause(FaultKind.CRASH, said("b")),
        }
    )
    assert driver.scores == (0, 0)
    assert [fault.seat for fault in driver.faults] == [0, 1]


def test_a_start_fault_names_a_seat_that_there_is():
    with pytest.raises(ValueError, match="no seat 2"):
        Driver(COUP, 2, 1).start_faults({2: LATE})


def test_start_faults_come_before_the_first_ask():
    driver = Driver(SAMURAI, 4, 1)
    assert driver.pending
    with pytest.raises(ValueError, match="before the first ask"):
        driver.start_faults({0: LATE})


COUP_FORFEITS = [
    (
        Reply(None, FaultCause(FaultKind.CRASH, said("exit status 3"))),
        "crash",
        "call 1: exit status 3",
    ),
    (
        Reply(None, FaultCause(FaultKind.TIMEOUT, said("no end within 2000 ms"))),
        "timeout",
        "call 1: no end within 2000 ms",
    ),
    (Reply(None, FaultCause(FaultKind.MEMORY, said("killed"))), "memory", "call 1: killed"),
    (Reply(None, FaultCause(FaultKind.FLOOD, said("2 MiB"))), "flood", "call 1: 2 MiB"),
    (
        Reply({"changed": said("it is gone").to_data()}),
        "illegal",
        r"call 1: expected one of 'I\n' 'F' 'E' 'S' 'T' appended to the history file "
        "and nothing else changed; it is gone",
    ),
    (
        coup_reply(""),
        "illegal",
        r"call 1: expected one of 'I\n' 'F' 'E' 'S' 'T' appended to the history file, got nothing",
    ),
    (
        coup_reply("xF"),
        "illegal",
        r"call 1: expected one of 'I\n' 'F' 'E' 'S' 'T' appended to the history file, got 'xF'",
    ),
    (
        coup_reply("F" * 900),
        "illegal",
        r"call 1: expected one of 'I\n' 'F' 'E' 'S' 'T' appended to the history file, got "
        f"'{'F' * 40}'... (900 characters)",
    ),
]


@pytest.mark.parametrize(("reply", "kind", "reason"), COUP_FORFEITS)
def test_in_coup_every_fault_forfeits_with_a_reason(reply, kind, reason):
    driver = Driver(COUP, 2, 1)
    driver.answer({0: reply})
    assert driver.scores == (0, 1)
    assert driver.ranks == (2, 1)
    assert told(driver.faults) == [(0, kind, 0, reason)]
    assert driver.summary["end"] == "forfeit"


def test_an_illegal_exchange_forfeits():
    driver = Driver(COUP, 2, 1)
    for text in ("E", "p"):
        driver.answer({driver.pending[0].seat: coup_reply(text)})
    driver.answer({0: coup_reply("\n", "??")})
    assert driver.scores == (0, 1)
    assert "got '??'" in english(driver.faults[0].reason)


def test_what_a_bot_said_is_one_line_of_200_characters_after_the_position():
    driver = Driver(SAMURAI, 4, 1)
    replies = {seat: Reply("1") for seat in range(4)}
    driver.answer(
        {
            **replies,
            0: Reply(None, FaultCause(FaultKind.CRASH, said("Traceback\n\x1b[31m" + "x" * 5000))),
        }
    )
    reason = english(driver.faults[0].reason)
    position, _, text = reason.partition(": ")
    assert position == "turn 1, day"
    assert text.startswith("Traceback  [31mxxx")
    assert text.isprintable()
    assert len(text) == 200


def test_turns_keep_what_was_sent_what_came_and_the_times():
    driver = Driver(COUP, 2, 1)
    driver.answer({0: Reply({"appended": "F", "stdout": "hm"}, None, 900, 300, 100)})
    exchange = driver.exchanges[0]
    cards = driver.frames[0]["hands"][0]
    assert exchange.sent == {"args": ["1", "1", cards, "I\n", "F", "E", "S", "T"]}
    assert exchange.reply == {"appended": "F", "stdout": "hm"}
    assert (exchange.step, exchange.kind, exchange.seat, exchange.fault) == (0, "move", 0, None)
    assert (exchange.wall_us, exchange.cpu_us, exchange.wait_us) == (900, 300, 100)


def test_a_record_needs_a_finished_match():
    driver = Driver(COUP, 2, 1)
    with pytest.raises(ValueError, match="not over"):
        driver.log([SeatInfo("a", ""), SeatInfo("b", "")])


def test_scores_are_exact():
    driver = play(SAMURAI, [lord_1, lord_1, lord_1, lambda request: "2 2 2 2 2"], 1)
    assert all(isinstance(score, Fraction) for score in driver.scores)
    record = driver.log([SeatInfo(f"bot{seat}", "") for seat in range(4)])
    assert [Fraction(score) for score in record.scores] == list(driver.scores)


@pytest.mark.parametrize("scores", [[1, 2, 3], [0.5] * 4, None, {0: 7, 1: 5, 2: 3, 3: 1}])
def test_a_game_with_a_senseless_result_is_broken_and_has_none(monkeypatch, scores):
    def broken(self):
        yield Ask("negotiate", default=(0,) * 5)
        return scores

    monkeypatch.setattr(Samurai, "play", broken)
    with pytest.raises(TypeError, match="samurai"):
        play(SAMURAI, [lord_1] * 4, 1)


@pytest.mark.parametrize(("slug", "view"), [("samurai", None), ("samurai", 5), ("coup", "lines")])
def test_a_view_of_another_type_than_the_channels_is_named(monkeypatch, slug, view):
    monkeypatch.setattr(referee(load(slug)), "view", lambda self, seat: view)
    with pytest.raises(TypeError, match=f"{slug}: expected a view that is .*, got {view!r}"):
        Driver(load(slug), load(slug).min_seats, 1).pending  # noqa: B018


@pytest.mark.parametrize("score", [10**40, -(10**40), Fraction(1, 10**40)])
def test_a_score_that_no_reader_of_records_takes_is_broken(monkeypatch, score):
    with pytest.raises(ValueError, match="samurai: expected scores of at most 40 digits"):
        _play_for(monkeypatch, [0, 0, 0, score])


@pytest.mark.parametrize("score", [10**40 - 1, -(10**40 - 1), Fraction(10**39 + 1, 10**39)])
def test_a_record_holds_the_longest_scores(monkeypatch, score):
    log = _play_for(monkeypatch, [0, 0, 0, score]).log([SeatInfo(f"bot{seat}", "") for seat in range(4)])
    assert record.from_json(record.to_json(log.record)).scores[3] == str(score)


def _play_for(monkeypatch, scores):
    def ends_at_once(self):
        yield Ask("negotiate", default=(0,) * 5)
        return scores

    monkeypatch.setattr(Samurai, "play", ends_at_once)
    return play(SAMURAI, [lord_1] * 4, 1)


def test_what_no_database_takes_is_no_part_of_a_summary(monkeypatch):
    monkeypatch.setattr(Samurai, "summary", lambda self: {"said": ["a\0b\ud800", {"b\0y": "ß"}], "seat": 1})
    driver = play(SAMURAI, [lord_1] * 4, 1)
    assert driver.summary == {"said": ["a\ufffdb\ufffd", {"b\ufffdy": "ß"}], "seat": 1}


@pytest.mark.parametrize("number", [float("nan"), float("-inf")])
def test_a_summary_with_a_number_that_json_does_not_have_is_broken(monkeypatch, number):
    monkeypatch.setattr(Samurai, "summary", lambda self: {"mean": [number]})
    with pytest.raises(TypeError, match=f"samurai: a number in a summary is finite, never {number}"):
        play(SAMURAI, [lord_1] * 4, 1)


def test_a_game_that_names_no_default_where_policy_needs_one_is_broken(monkeypatch):
    def broken(self):
        yield Ask("negotiate")
        return [0] * 4

    monkeypatch.setattr(Samurai, "play", broken)
    with pytest.raises(TypeError, match="needs a default"):
        play(SAMURAI, [lord_1] * 4, 1, faults={(0, 0): LATE})


def test_two_games_of_different_slug_draw_differently():
    class Other(Samurai):
        slug = "other"

    assert issubclass(Other, Game)
    assert [Samurai(4, seed).strengths for seed in range(9)] != [
        Other(4, seed).strengths for seed in range(9)
    ]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (Ask("bid", seats=1), r"the seats of an Ask are some of 0 to 3, each once.* 'bid' has 1$"),
        (Ask("bid", (0, 0)), r"the ask 'bid' has \(0, 0\)"),
        (Ask("bid", (4,)), r"the ask 'bid' has \(4,\)"),
        (Ask("bid", (seat for seat in ())), "the ask 'bid' has <generator"),
        ("bid", "expected `play` to yield an Ask, got 'bid'"),
    ],
)
def test_an_ask_of_the_wrong_shape_is_named(monkeypatch, asked, words):
    def asks(self):
        yield asked

    monkeypatch.setattr(Samurai, "play", asks)
    with pytest.raises(TypeError, match=f"samurai: .*{words}"):
        _ = Driver(SAMURAI, 4, 1).pending


def test_characters_that_no_file_takes_are_replaced_in_the_games_files(monkeypatch):
    driver = Driver(SAMURAI, 4, 1)
    monkeypatch.setattr(Samurai, "files", lambda self: {"history.txt": "a\ud800b\n"})
    assert driver.files == {"history.txt": "a\ufffdb\n"}
    monkeypatch.setattr(Samurai, "files", lambda self: {"history.txt": b"bytes"})
    with pytest.raises(TypeError, match="samurai: expected files as text, by name"):
        _ = driver.files
