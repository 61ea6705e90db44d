"""The benchmarks themselves: every side of a comparison still does its work, in a sandbox and without."""

import json

import pytest

from benchmarks import bare, coup, honest_rps, overhead, raw_limit, report, samurai
from benchmarks.house import files, house
from benchmarks.measure import Line, at_least, at_most, interleave, within
from benchmarks.report import shown, summary, table


def test_sides_take_turns_and_the_first_slice_warms_up():
    calls = []

    def side(name):
        def work(number):
            calls.append(f"{name}{number}")
            return 1

        return work

    rates = interleave([side("a"), side("b")], 2)
    assert calls == ["a0", "b0", "a0", "b0", "b1", "a1"]
    assert [len(rate) for rate in rates] == [2, 2]


def test_ratios_are_of_neighbors_and_targets_are_judged():
    ours, theirs = [20.0, 30.0, 90.0], [10.0, 10.0, 10.0]
    line = at_least("a", 3, ours, theirs, "moves")
    assert (line.figure, line.spread, line.target, line.met) == ("3.00x", "2.50 - 6.00", ">= 3x", True)
    assert (line.ours, line.theirs) == ("30 moves/s", "10 moves/s")
    assert at_least("a", 3.1, ours, theirs, "moves").met is False
    slower = within("a", 1.5, theirs, ours, "rounds")
    assert (slower.figure, slower.target, slower.met) == ("3.00x", "<= 1.5x", False)
    assert slower.ours == "10 rounds/s"
    assert at_most("a", 5, [4.0, 5.0, 9.0], "ms").met is True
    assert at_most("a", None, [4.0], "ms").met is None


def test_tables_say_what_is_met():
    lines = [
        Line("one", "3x", "2 - 4", ">= 3x", True, "9/s", "3/s"),
        Line("two", "1x", "", ">= 2x", False, "", ""),
    ]
    assert table(lines).rows[0] == ("one", "3x", "2 - 4", ">= 3x", "met", "9/s", "3/s")
    assert "NOT MET" in shown(lines[1])
    assert summary(lines) == "1 of 2 targets met."


def test_figures_are_kept_with_date_commit_and_host(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    line = Line("one", "3x", "2 - 4", ">= 3x", True, "9/s", "3/s")
    report.save("bench", "make bench", "load 0.1 before the run", {"docker": table([line])})
    kept = json.loads((tmp_path / "bench.json").read_text())
    assert kept["tables"]["docker"]["rows"] == [["one", "3x", "2 - 4", ">= 3x", "met", "9/s", "3/s"]]
    assert (kept["command"], kept["conditions"]) == ("make bench", "load 0.1 before the run")
    assert kept["host"].keys() == {"cores", "processor", "kernel", "python"}
    assert len(kept["commit"]) == 8


def test_each_side_of_a_comparison_does_its_work(tmp_path):
    with house("coup", files("coup", "miser.py", "starter.py"), "bubblewrap") as agon:
        assert coup.ours(agon, 1)(0) > 10
    assert coup.bare(bare.interpreted(files("coup", "miser.py", "starter.py")), tmp_path, 1)(0) > 10
    bots = files("samurai", "even.py")
    with house("samurai", bots, "bubblewrap") as agon:
        assert samurai.ours(agon, 1)(0) == 1
        assert overhead.sandboxed(agon, 1)(0) == 1
    assert samurai.bare(bare.interpreted(bots, bare.LEAN), 1)(0) == 1
    bots = honest_rps.SCANNING
    with house("honest_rps", bots, "bubblewrap") as agon:
        pairs = [(0, 1), (2, 3)]
        assert honest_rps.ours(agon, pairs, 2)(0) == 500
        assert honest_rps.exchange_only(agon, 1)(0) == 250
    assert honest_rps.bare(bots, pairs, 2)(0) == 500
    with raw_limit.echo_process() as (ask, answer):
        assert honest_rps.raw_exchange(ask, answer, 1)(0) == 250


@pytest.mark.compilers
def test_bare_programs_are_compiled_and_play(tmp_path):
    bots = files("coup", *coup.C_BOTS)
    for gcc in (bare.GCC, bare.STATIC):
        assert coup.bare(bare.compiled(bots, tmp_path, gcc), tmp_path, 1)(0) > 5
