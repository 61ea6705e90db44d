"""Results become standings by the tournament's own way of giving points."""

import csv
import io
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.contest.points import Result
from agon.contest.standings import to_csv, to_data
from games.core.ranks import ranks
from games.core.record import RecordedFault
from tests.support.reasons import said
from tests.support.standings import compute_standings


def result(seats, scores, *faults):
    exact = tuple(Fraction(score) for score in scores)
    return Result(tuple(seats), exact, ranks(exact), faults)


def table(rows):
    return [(row.rank, row.bot, str(row.points), row.played, row.won, row.drawn) for row in rows]


def test_coup_counts_a_point_a_win_and_nothing_for_a_match_nobody_won():
    results = [result((0, 1), (1, 0)), result((1, 0), (0, 0)), result((1, 0), (0, 1))]
    for points in ("win", "score"):
        assert table(compute_standings(["a", "b"], results, points)) == [
            (1, "a", "2", 3, 2, 1),
            (2, "b", "0", 3, 0, 1),
        ]


def test_a_sole_best_of_four_wins_and_shared_first_place_is_a_draw_for_those_who_share_it():
    results = [result((0, 1, 2, 3), (5, 5, 1, 0)), result((0, 1, 2, 3), ("1/2", "1/3", "-1", "1/6"))]
    assert table(compute_standings("abcd", results, "win")) == [
        (1, "a", "1", 2, 1, 1),
        (2, "b", "0", 2, 0, 1),
        (2, "c", "0", 2, 0, 0),
        (2, "d", "0", 2, 0, 0),
    ]
    assert [row.points for row in compute_standings("abcd", results[:1], "shared_win")] == [1, 1, 0, 0]


def test_scores_are_summed_exactly():
    results = [result((0, 1), ("1/3", "1")) for _ in range(3)]
    assert table(compute_standings(["a", "b"], results, "score")) == [
        (1, "b", "3", 3, 3, 0),
        (2, "a", "1", 3, 0, 0),
    ]


def test_equal_points_share_a_rank_and_keep_entry_order():
    results = [result((2, 0), (1, 0)), result((1, 0), (1, 0))]
    assert [(row.rank, row.bot) for row in compute_standings(["x", "b", "a"], results, "win")] == [
        (1, "b"),
        (1, "a"),
        (3, "x"),
    ]


def test_both_seats_of_a_match_against_oneself_count():
    rows = compute_standings(["a"], [result((0, 0), (400, 350))], "score")
    assert table(rows) == [(1, "a", "750", 2, 1, 0)]


def test_faults_are_counted_for_the_bot_that_made_them():
    results = [
        result((1, 0), (0, 1), RecordedFault(0, "crash", 3, said("exit status 1"))),
        result(
            (0, 1),
            (1, 0),
            RecordedFault(1, "timeout", 0, said("no answer")),
            RecordedFault(1, "timeout", 1, said("no answer")),
        ),
    ]
    rows = compute_standings(["a", "b"], results, "win")
    assert [(row.bot, row.faults) for row in rows] == [
        ("a", 0),
        ("b", 3),
    ]


def test_a_disqualified_bots_matches_count_for_nobody_and_it_is_last_with_the_reason():
    results = [
        result((0, 1), (500, 250)),
        result((2, 0), (750, 0)),
        result((2, 1), (0, 1), RecordedFault(0, "illegal", 7, said("expected R, P or S, got 'X'"))),
    ]
    rows = compute_standings(["a", "b", "cheat"], results, "score", disqualifying={"illegal"})
    assert table(rows) == [(1, "a", "500", 1, 1, 0), (2, "b", "250", 1, 0, 0), (3, "cheat", "0", 0, 0, 0)]
    assert [row.disqualified for row in rows] == ["", "", "expected R, P or S, got 'X'"]
    assert rows[2].faults == 1


def test_a_stopped_bot_is_treated_as_a_disqualified_one():
    results = [result((0, 1), (1, 0)), result((2, 0), (5, 0)), result((1, 2), (0, 9))]
    rows = compute_standings(["a", "b", "cheat"], results, "score", stopped={2: "stopped by the site"})
    assert [row.disqualified for row in rows] == ["", "", "stopped by the site"]
    assert table(rows) == [(1, "a", "1", 1, 1, 0), (2, "b", "0", 1, 0, 0), (3, "cheat", "0", 0, 0, 0)]


def test_a_disqualified_bot_does_not_share_a_rank_with_one_that_has_no_points():
    results = [result((0, 1), (0, 0), RecordedFault(0, "crash", 0, said("exit status 1")))]
    assert [(row.rank, row.bot) for row in compute_standings(["a", "b"], results, "win", {"crash"})] == [
        (1, "b"),
        (2, "a"),
    ]


@given(st.lists(st.tuples(st.permutations(range(5)), st.lists(st.integers(-3, 3), min_size=4, max_size=4))))
def test_points_and_seats_add_up_and_ranks_follow_points(matches):
    results = [result(order[:4], scores) for order, scores in matches]
    rows = compute_standings("abcde", results, "score")
    assert sum(row.points for row in rows) == sum(sum(scores) for _, scores in matches)
    assert sum(row.played for row in rows) == 4 * len(matches)
    assert tuple(row.rank for row in rows) == ranks([row.points for row in rows])


def test_csv_and_json_tell_the_same_exact_points():
    rows = compute_standings(["a", "b"], [result((0, 1), ("7/2", "-1"))], "score")
    read = list(csv.DictReader(io.StringIO(to_csv(rows))))
    assert [line["points"] for line in read] == [row["points"] for row in to_data(rows)] == ["7/2", "-1"]
    assert list(read[0]) == list(to_data(rows)[0])


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_no_spreadsheet_takes_a_name_or_a_reason_for_a_formula(start):
    faults = RecordedFault(0, "crash", 0, said(f'{start}HYPERLINK("http://x")'))
    rows = compute_standings(
        [f"{start}cmd|calc", "b"], [result((0, 1), (-1, -2), faults)], "score", {"crash"}
    )
    first, last = list(csv.DictReader(io.StringIO(to_csv(rows), newline="")))
    assert (last["bot"], last["disqualified"]) == (f"'{start}cmd|calc", f'\'{start}HYPERLINK("http://x")')
    assert to_data(rows)[1]["bot"] == f"{start}cmd|calc"
    assert (first["bot"], first["points"]) == ("b", "0")
    [low, _] = csv.DictReader(
        io.StringIO(to_csv(compute_standings("ab", [result((0, 1), (-2, -1))], "score")[::-1]))
    )
    assert low["points"] == "-2"  # a number, not a formula


def test_the_file_is_that_of_earlier_versions_by_which_archives_are_verified():
    rows = compute_standings(["\uff1dcmd", "b"], [result((0, 1), (2, 1))], "score")
    assert to_csv(rows).splitlines()[1] == "1,\uff1dcmd,2,1,1,0,0,"


def test_an_unknown_way_of_giving_points_is_refused_in_words():
    with pytest.raises(ValueError, match="points: expected one of score, shared_win, win, got 'elo'"):
        compute_standings(["a"], [], "elo")
