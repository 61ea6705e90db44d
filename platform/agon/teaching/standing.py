"""Where a student stands with a milestone: passed, missed, or still able to pass; and for how many points."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from zoneinfo import ZoneInfo

from agon.teaching import beats
from agon.teaching.lateness import Counted, Policy, Upload, counted, last_moment

_CENT = Decimal("0.01")


class Verdict(StrEnum):
    PASSED = "passed"
    MISSED = "missed"
    PENDING = "pending"


@dataclass(frozen=True)
class Standing:
    """counted: the upload that counts; None while there is none. points: 0 unless it is passed."""

    verdict: Verdict
    counted: Counted | None
    points: Decimal


def standing_of(
    uploads: Iterable[Upload],
    deadline: datetime | None,
    policy: Policy,
    zone: ZoneInfo,
    most: Decimal,
    now: datetime,
) -> Standing:
    """The standing of a student with these uploads. deadline: the student's own; None for no deadline.

    most: the points of a milestone that is passed in time. Points are rounded to cents, half a cent up.
    """
    every = list(uploads)
    if deadline is None:
        accepted = [upload for upload in every if upload.accepted]
        if not accepted:
            return Standing(Verdict.PENDING, None, Decimal(0))
        first = min(accepted, key=lambda upload: (upload.time, upload.id))
        return Standing(Verdict.PASSED, counted([first], first.time, policy, zone), most)
    counting = counted(every, deadline, policy, zone)
    if counting is not None and counting.upload.accepted:
        points = (most * counting.factor).quantize(_CENT, ROUND_HALF_UP)
        return Standing(Verdict.PASSED, counting, points)
    end = last_moment(deadline, policy, zone)
    is_checked = any(upload.accepted is None and upload.time <= end for upload in every)
    verdict = Verdict.PENDING if now <= end or is_checked else Verdict.MISSED
    return Standing(verdict, counting, Decimal(0))


def judged(standing: Standing, is_over: bool, result: beats.Verdict | None) -> Standing:
    """The standing with a milestone whose matches are played after its end by the upload that counts.

    standing: as if being accepted was enough. is_over: whether no other upload can count anymore. result: of
    that upload; None while there is none.
    """
    if standing.verdict != Verdict.PASSED or standing.counted is None:
        return standing
    if not is_over or result is None:
        return Standing(Verdict.PENDING, standing.counted, Decimal(0))
    if result == beats.Verdict.FAILED:
        return Standing(Verdict.MISSED, standing.counted, Decimal(0))
    return standing
