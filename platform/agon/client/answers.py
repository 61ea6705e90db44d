"""What a site answers: the fields of the API that programs use most. There may be more."""

from typing import Any, TypedDict


class Submission(TypedDict):
    """A version of a bot. state: received, building, built, qualifying, active, rejected...

    is_final: whether build and qualification are over. reason, advice: why it was rejected, what to change.
    """

    id: int
    bot: int
    name: str
    competition: str
    version: int
    state: str
    is_final: bool
    reason: str
    advice: str
    language: str
    build_log: str
    qualification: int | None
    url: str


class Row(TypedDict):
    """A row of a leaderboard. rank: as the page shows it. low, high: the 95 % interval of the rating."""

    rank: str
    bot: int
    name: str
    author: str
    rating: float
    low: float
    high: float
    played: int
    won: int
    drawn: int
    faults: int
    url: str


class Trial(TypedDict):
    """One unrated match of a program that is not entered. state: queued, running, finished, rejected, failed.

    won: whether it alone came first; None without a result. reason, advice: what went wrong, what to change.
    """

    id: str
    competition: str
    language: str
    opponent: str
    state: str
    is_final: bool
    won: bool | None
    places: list[dict[str, Any]]
    fault: dict[str, Any] | None
    reason: str
    advice: str
    line: int | None
    doubts: list[str]
    stderr: str
    build_log: str
    url: str


class Login(TypedDict):
    """A device login that waits for a person to open `verification_uri` and to enter `user_code` there."""

    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_in: int
    interval: int


class Challenge(TypedDict):
    """A challenge and its results so far. state: running, finished, cancelled; reason: why it was cancelled.

    matches: how many are to be played. share, low, high: of the points, with the 95 % interval; None before
    the first match.
    """

    id: int
    competition: str
    bot: int
    name: str
    state: str
    is_over: bool
    reason: str
    matches: int
    played: int
    void: int
    won: int
    drawn: int
    lost: int
    share: float | None
    low: float | None
    high: float | None
    url: str
