"""Costly figures are computed once for all readers, and as rarely as they are costly."""

import time
from itertools import count

from agon.site.core.cached import cached, is_fresh


def test_what_takes_long_is_not_computed_again_for_a_while():
    computed = count(1)

    def slow() -> int:
        time.sleep(0.05)
        return next(computed)

    assert [cached("slow", slow) for _ in range(5)] == [1] * 5


def test_what_takes_no_time_is_as_fresh_as_can_be():
    seen = iter([{"a": 1}, {"a": 2}])
    first = cached("quick", lambda: next(seen))
    deadline = time.monotonic() + 5
    while cached("quick", lambda: next(seen)) == first:
        assert time.monotonic() < deadline
    assert first == {"a": 1}


def test_a_value_that_can_be_had_without_computing_it_is_fresh():
    assert not is_fresh("kept-a-while")
    cached("kept-a-while", lambda: 1, 60)
    assert is_fresh("kept-a-while")
    cached("kept-no-longer", lambda: 1, -60)
    assert not is_fresh("kept-no-longer")


def test_a_clock_that_is_put_back_leaves_nothing_as_it_is_for_longer(monkeypatch):
    ahead = time.time() + 3600
    with monkeypatch.context() as wrong:
        wrong.setattr(time, "time", lambda: ahead)
        cached("of-tomorrow", lambda: 1, 60)
        assert is_fresh("of-tomorrow")
    assert not is_fresh("of-tomorrow")
    assert cached("of-tomorrow", lambda: 2, 60) == 2
