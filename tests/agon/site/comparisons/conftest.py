"""Two versions of a bot that can be compared, and the matches of a comparison."""

import pytest
from django.core.files.base import ContentFile

from agon.site.bots.models import Submission
from agon.site.comparisons import progress
from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.use_cases import qualification
from tests.support.factories import activate, duel, submit


@pytest.fixture(autouse=True)
def no_pause(monkeypatch) -> None:
    """What the pause is for is tested in test_comparisons.py."""
    monkeypatch.setattr(queueing, "PAUSE_ON_DEMAND", 0)


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def versions(user, rps) -> tuple[Submission, Submission]:
    """An active version 2 of ada's bot, and version 1, both built."""
    [old] = activate(user, rps, ["Ada"])
    new = submit(user, rps, "Ada")
    qualification.activate(new)
    Match.objects.all().delete()
    for number, version in enumerate((old, new)):
        version.refresh_from_db()
        version.artifact_digest = f"{number}" * 64
        version.artifact.save("", ContentFile(b"a tar"))
        version.save()
    return new, old


def names(comparison) -> tuple[str, str]:
    return f"Ada #{comparison.new.number}", f"Ada #{comparison.old.number}"


def play(comparison, winners, most=400) -> int:
    """Play until it is over; winners(number) -> names of the bots, the best first; () draws."""
    for number in range(most):
        match = leases.claim("w")
        if match is None:
            progress.tick()
            comparison.refresh_from_db()
            match = leases.claim("w")
            if match is None:
                assert comparison.is_over
                return number
        assert leases.finish(match, duel(match, winners(number)))
    comparison.refresh_from_db()
    return most
