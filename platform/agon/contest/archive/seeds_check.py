"""Does every seed of an archive follow from the secrets that it reveals, and these match their commitments?

A match's seed follows from the contest's salt and draw, or from those that were made later for a re-run or
for the rounds of a reopened tournament (Header.draws). Results of a re-run that was discarded, or is still
open, are not in an archive.
"""

from collections.abc import Iterator

from agon.contest.archive.manifest import Fared, Header, Why
from agon.contest.archive.manifest_reader import Stated
from agon.contest.archive.schedule_check import Schedule
from agon.contest.formats import ScheduledMatch
from agon.contest.secret_seeds import commitment, placed

_FILE = "manifest.json"


def differences(manifest: Stated, schedule: Schedule) -> Iterator[str]:
    """Everything about seeds that is not as it should be."""
    header = manifest.header
    yield from _commitments(header)
    seeds = [header.seeds_of(number) for number in range(len(header.draws) + 1)]
    planned = placed(schedule.make())
    right = next(planned, None)
    for place, (scheduled, stated, number) in enumerate(manifest.ledger.played()):
        why_not = _why_not_from(header, number, scheduled)
        if why_not:
            yield f"{_FILE}: matches[{place}].draw: {why_not}"
            continue
        while right is not None and right[0].index < scheduled.index:
            right = next(planned, None)
        if right is None or right[0].index > scheduled.index:
            continue
        first = seeds[number].first(*right)
        if first != stated and stated not in seeds[number].of_attempts(first):
            yield f"{_FILE}: matches[{place}].seed: expected {first}, got {stated}"


def _commitments(header: Header) -> Iterator[str]:
    """Secrets that are not those that were committed to."""
    if header.commitment and header.commitment != commitment(header.salt or header.seed):
        secret = "salt" if header.salt else "seed"
        yield f"{_FILE}: commitment: not the SHA-256 of the {secret}"
    for place, draw in enumerate(header.draws):
        if draw.salt and draw.commitment != commitment(draw.salt):
            yield f"{_FILE}: draws[{place}].commitment: not the SHA-256 of the salt"


def _why_not_from(header: Header, number: int, scheduled: ScheduledMatch) -> str:
    """Why a match that counts cannot be from this draw; "" if it can."""
    reopened = [
        place
        for place, draw in enumerate(header.draws, start=1)
        if draw.why == Why.REOPENED and draw.since <= scheduled.index
    ]
    if number > len(header.draws):
        return f"expected at most {len(header.draws)}, got {number}"
    if number < max(reopened, default=0):
        return f"expected {reopened[-1]} or more, since the tournament had been reopened, got {number}"
    if not number:
        return ""
    draw = header.draws[number - 1]
    if draw.state != Fared.APPLIED:
        return f"the re-run {number} is {draw.state}, so that none of its matches counts"
    if draw.why == Why.REOPENED and number not in reopened:
        return f"the tournament was reopened at match {draw.since}, after this one"
    return ""
