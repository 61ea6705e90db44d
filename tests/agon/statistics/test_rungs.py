"""Claims about who is better: what few matches say, and how often claims are wrong."""

import random

import pytest

from agon.statistics.rungs import Rung, Verdict


@pytest.mark.parametrize(
    ("rung", "confidence"),
    [
        (Rung(), 0.5),
        (Rung(equal=50), 0.5),
        (Rung(ahead=1), 0.75),  # the mean of a share drawn evenly, once it has shown one win
        (Rung(behind=1), 0.25),
        (Rung(ahead=2), 0.875),
        (Rung(7, 3, 7), 0.5),
    ],
)
def test_confidence_after_few_matches(rung, confidence) -> None:
    assert rung.confidence == pytest.approx(confidence)


def test_few_matches_prove_nothing_and_more_do() -> None:
    verdicts = [Rung(ahead=wins).verdict for wins in range(8)]
    assert verdicts == [Verdict.UNKNOWN] * 6 + [Verdict.BEATS] * 2
    assert [Rung(behind=lost).verdict for lost in (5, 6)] == [Verdict.UNKNOWN, Verdict.LOSES]
    assert Rung(520, 0, 480).verdict is Verdict.UNKNOWN


def test_very_many_matches_take_no_longer_and_say_the_same() -> None:
    assert Rung(600_000, 0, 400_000).verdict is Verdict.BEATS
    assert Rung(10**12, 5, 10**12).verdict is Verdict.UNKNOWN


def test_of_claims_at_the_first_moment_at_which_they_can_be_made_one_in_a_hundred_is_wrong() -> None:
    draw = random.Random(7)
    claims = wrong = 0
    for _ in range(4000):
        share, ahead, behind = draw.random(), 0, 0
        for _ in range(60):
            won = draw.random() < share
            ahead, behind = ahead + won, behind + (not won)
            verdict = Rung(ahead, 0, behind).verdict
            if verdict is not Verdict.UNKNOWN:
                claims += 1
                wrong += (verdict is Verdict.BEATS) != (share > 0.5)
                break
    assert claims > 3000
    assert wrong <= 0.01 * claims
