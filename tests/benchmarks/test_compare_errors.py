"""What `agon compare` promises: too few simulations to measure it, enough to notice when it is broken."""

import pytest

from agon.statistics.compare.sequential import Verdict
from benchmarks.compare_errors import GAMES, TRUTHS, simulate, tilted

RUNS = 60
SOME = ["coup", "camel_up", "96 % level"]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("mean", [0.1, 0.3])
def test_a_tilted_distribution_has_the_mean_wanted(name, mean):
    weights = tilted(GAMES[name].seen, mean)
    assert sum(float(value) * weight for value, weight in weights.items()) / sum(
        weights.values()
    ) == pytest.approx(mean)


@pytest.mark.first(1)
@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("truth", TRUTHS)
def test_verdicts_are_rarely_wrong_and_intervals_cover_the_truth(name, truth):
    """At most 5 % and at least 95 % are expected: 9 of 60 have a probability of 0.2 % then."""
    seen = simulate(GAMES[name], TRUTHS[truth], RUNS, 600)
    assert seen.wrong * RUNS <= 8
    assert seen.covered * RUNS >= RUNS - 8


def test_a_clear_difference_is_found_with_few_matches():
    seen = simulate(GAMES["coup"], TRUTHS["far"], RUNS)
    assert seen.verdicts == {Verdict.BETTER: 1}
    assert seen.matches < 250
