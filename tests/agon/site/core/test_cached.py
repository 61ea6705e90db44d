"""Costly figures are computed once for all readers, and as rarely as they are costly."""

import time
from itertools import count

from agon.site.core.cached import cached


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
