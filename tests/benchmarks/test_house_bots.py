"""What benchmarks/house_bots.py says of a ladder: seats, chances and their correction."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.house_bots import Pair, holm, seating, table


def four_seats(players: int) -> Any:
    return SimpleNamespace(players=range(players), info=SimpleNamespace(max_seats=4))


def test_two_bots_change_places_between_the_two_matches_of_a_table() -> None:
    home = four_seats(7)
    for first in range(1, 200, 2):
        once, again = seating(home, 2, 5, first), seating(home, 2, 5, first + 1)
        assert [{2: 5, 5: 2}.get(player, player) for player in once] == again
        assert len({*once}) == 4
        assert {2, 5} <= {*once}


def test_the_other_seats_go_to_everybody_else() -> None:
    met = Counter(player for match in range(1, 401) for player in seating(four_seats(6), 0, 1, match))
    assert met[0] == met[1] == 400
    assert all(150 < met[player] < 250 for player in (2, 3, 4, 5))


def test_a_chance_is_that_of_so_many_heads_or_more() -> None:
    assert Pair("A", "B", won=8, lost=2, level=5).p == (45 + 10 + 1) / 1024
    assert Pair("A", "B", won=0, lost=3, level=0).p == 1
    assert Pair("A", "B", won=0, lost=0, level=9).p == 1


def test_holm_counts_the_smallest_most_often_and_never_changes_the_order() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]


def test_a_step_is_a_line_of_the_table() -> None:
    *_, line = table([Pair("A", "B", won=8, lost=2, level=5)])
    assert line == "| A | B | 15 | 8 | 2 | 5 | 80.0% | 5.5e-02 | 5.5e-02 |"
