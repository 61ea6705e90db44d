"""Honest Rock-Paper-Scissors under random play, against the original controller's own arithmetic."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from games.core.compliance.scripted import play
from games.core.manifest import load
from games.core.ranks import ranks

moves = st.text("RPS", min_size=250, max_size=250)


def controller(claims, throws):
    """Points of both sides as the original contest's controller adds them up."""
    scores = [0, 0]
    for h1, h2, r1, r2 in zip(*claims, *throws, strict=True):
        scores[0] += h1 == r1
        scores[1] += h2 == r2
        if r1 == r2:
            scores[0] += 1
            scores[1] += 1
        elif (r1, r2) in (("R", "P"), ("P", "S"), ("S", "R")):
            scores[1] += 2
        else:
            scores[0] += 2
    return scores


@given(st.tuples(moves, moves), st.tuples(moves, moves))
def test_scores_are_those_of_the_original_controller(claims, throws):
    heard = ([], [])

    def bot(seat):
        def answer(request):
            heard[seat].append(request.view)
            return (throws if request.step % 2 else claims)[seat][request.step // 2]

        return answer

    driver = play(load("honest_rps"), [bot(0), bot(1)], 0)
    assert list(driver.scores) == controller(claims, throws)
    assert driver.ranks == ranks(driver.scores)
    assert 500 <= sum(driver.scores) <= 1000
    kept = [sum(map(str.__eq__, claims[seat], throws[seat])) for seat in (0, 1)]
    assert sum(driver.scores) == 500 + sum(kept)
    assert all(kept[seat] <= driver.scores[seat] <= 500 + kept[seat] for seat in (0, 1))
    totals = [frame["score"] for frame in driver.frames]
    assert all(sum(now) - sum(last) in (2, 3, 4) for last, now in itertools.pairwise([[0, 0], *totals]))
    assert totals[-1] == list(driver.scores)
    for seat in (0, 1):
        assert heard[seat][0] == "C\n"
        assert heard[seat][1::2] == [f"T {claim}\n" for claim in claims[1 - seat]]
        assert heard[seat][2::2] == [f"C {throw}\n" for throw in throws[1 - seat][:-1]]
