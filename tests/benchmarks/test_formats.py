"""What formats promise without proof: enough simulations to notice when it no longer holds."""

from benchmarks.formats import largest_spread, until_decided


def test_a_clear_best_is_found_and_equals_are_not_told_apart():
    clear = until_decided("clear", 3, 1, 150, 3.0, 4).split()
    assert clear[4:6] == ["0.0%", "0.0%"]
    assert float(clear[-1]) < 150
    assert until_decided("equal", 3, 1, 60, 0.0, 6).split()[4] == "0.0%"


def test_meetings_in_balanced_blocks_differ_little():
    assert largest_spread(4, fields=(4, 9, 16), rounds=6) <= 2
