"""Which upload counts for a milestone, and how late it is.

What counts is the time of the upload, never that of the check or of a match: a queue makes no student late.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from agon.teaching.kinds import check_whole, fields_of


@dataclass(frozen=True)
class LastUpload:
    """No upload after the deadline counts. The last one before it does, accepted or not."""


@dataclass(frozen=True)
class LastAccepted:
    """No upload after the deadline counts. The last one before it that was accepted does."""


@dataclass(frozen=True)
class Grace:
    """An upload within `minutes` after the deadline counts as if it was in time."""

    minutes: int

    def __post_init__(self) -> None:
        check_whole("minutes", self.minutes, 1, 366 * 24 * 60)


@dataclass(frozen=True)
class PercentADay:
    """Each begun day after the deadline costs `percent` of the points."""

    percent: int

    def __post_init__(self) -> None:
        check_whole("percent", self.percent, 1, 100)


Policy = LastUpload | LastAccepted | Grace | PercentADay

_KINDS: dict[str, type[Policy]] = {
    "last_upload": LastUpload,
    "last_accepted": LastAccepted,
    "grace": Grace,
    "percent_a_day": PercentADay,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


@dataclass(frozen=True)
class Upload:
    """time: when it was uploaded. accepted: whether its check passed, whenever that ends; None: not yet."""

    id: int
    time: datetime
    accepted: bool | None


@dataclass(frozen=True)
class Counted:
    """The upload that counts. late: how long after the student's own deadline. factor: of the points."""

    upload: Upload
    late: timedelta
    factor: Decimal


def to_json(policy: Policy) -> dict[str, object]:
    return {"kind": _NAMES[type(policy)], **asdict(policy)}


def from_json(value: object) -> Policy:
    """The policy that `value` describes; BadValue where it describes none."""
    kind, values = fields_of("policy", value, _KINDS)
    return _KINDS[kind](**values)


def extended(deadline: datetime, minutes: int) -> datetime:
    """The deadline of a student with so much of an extension."""
    return deadline.astimezone(UTC) + timedelta(minutes=minutes)


def last_moment(deadline: datetime, policy: Policy, zone: ZoneInfo) -> datetime:
    """When the last upload that counts may come. An upload at that very moment counts."""
    match policy:
        case Grace(minutes):
            return deadline.astimezone(UTC) + timedelta(minutes=minutes)
        case PercentADay(percent):
            return _days_after(deadline, (100 - 1) // percent, zone)  # one more day leaves no points
        case _:
            return deadline.astimezone(UTC)


def counted(uploads: Iterable[Upload], deadline: datetime, policy: Policy, zone: ZoneInfo) -> Counted | None:
    """The upload that counts, of those of one student whose own deadline is `deadline`.

    It is the last one of those that give the most points: who passed in time loses nothing by a later one.
    """
    end = last_moment(deadline, policy, zone)
    in_time = [upload for upload in uploads if upload.time <= end]
    if isinstance(policy, LastUpload):
        candidates = in_time
    else:
        candidates = [upload for upload in in_time if upload.accepted]
    if not candidates:
        return None
    factors = {candidate.id: _factor(candidate.time, deadline, policy, zone) for candidate in candidates}
    upload = max(candidates, key=lambda candidate: (factors[candidate.id], candidate.time, candidate.id))
    late = max(upload.time.astimezone(UTC) - deadline.astimezone(UTC), timedelta())
    return Counted(upload, late, factors[upload.id])


def settled(uploads: Iterable[Upload], deadline: datetime, policy: Policy, zone: ZoneInfo) -> datetime:
    """The moment after which no new upload can take the place of the one that counts."""
    counting = counted(uploads, deadline, policy, zone)
    if counting is None or not isinstance(policy, PercentADay):
        return last_moment(deadline, policy, zone)
    return _days_after(deadline, _days_late(counting.upload.time, deadline, zone), zone)


def _factor(time: datetime, deadline: datetime, policy: Policy, zone: ZoneInfo) -> Decimal:
    if not isinstance(policy, PercentADay):
        return Decimal(1)
    return Decimal(100 - policy.percent * _days_late(time, deadline, zone)) / 100


def _days_late(time: datetime, deadline: datetime, zone: ZoneInfo) -> int:
    """How many days have begun since the deadline."""
    days = 0
    while _days_after(deadline, days, zone) < time:
        days += 1
    return days


def _days_after(deadline: datetime, days: int, zone: ZoneInfo) -> datetime:
    """The same time of day `days` later, as clocks in `zone` show it: a day may have 23 or 25 hours."""
    local = deadline.astimezone(zone) if days else deadline
    return (local + timedelta(days=days)).astimezone(UTC)
