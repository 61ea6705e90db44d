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


class Checked(TypedDict):
    """What a program would become that was only checked."""

    version: int
    language: str
    files: list[str]


class AboutToken(TypedDict):
    """A token. competition: the only one that it is good for; None for all. expires: None for never."""

    name: str
    scopes: list[str]
    competition: str | None
    expires: str | None


class Account(TypedDict):
    """The account of a token, and what the token may do."""

    name: str
    about: str
    token: AboutToken
    may_organize: bool
    url: str


class Row(TypedDict):
    """A row of a leaderboard. rank: as the page shows it. low, high: the 95 % interval of the rating."""

    rank: str
    best: int
    bot: int
    name: str
    author: str
    submission: int
    version: int
    rating: float
    low: float
    high: float
    provisional: bool
    played: int
    won: int
    drawn: int
    faults: int
    url: str


class ListedBot(TypedDict):
    """A bot in a list. active: the submission that plays. home: whether it plays at home."""

    id: int
    name: str
    competition: str
    author: str
    house: bool
    state: str
    active: int | None
    home: bool
    url: str


class Bot(TypedDict):
    """A bot. reason: why it is stopped. row: on the leaderboard. rests: why it gets no rated matches."""

    id: int
    name: str
    competition: str
    author: str
    house: bool
    home: bool
    state: str
    reason: str
    row: Row | None
    rests: str
    url: str


class Seat(TypedDict):
    """A seat of a match. name: None while it is secret who plays there. rank, score: None until finished."""

    number: int
    name: str | None
    score: str | None
    rank: int | None


class Match(TypedDict):
    id: int
    competition: str
    kind: str
    state: str
    seats: list[Seat]
    finished: str | None
    url: str


class Rung(TypedDict):
    name: str
    level: int | None
    verdict: str
    confidence: float
    ahead: int
    equal: int
    behind: int
    rating: float


class Rungs(TypedDict):
    """Whom a bot beats: the weakest first. next: the weakest one that it is not known to beat."""

    name: str
    beaten: int
    rungs: list[Rung]
    next: Rung | None


class Comparison(TypedDict):
    """A comparison of two versions. share, low, high: of the points that `new` gets; None before the end."""

    id: int
    new: int
    old: int
    state: str
    verdict: str | None
    matches: int
    most_matches: int
    share: float | None
    low: float | None
    high: float | None
    url: str


class Opponent(TypedDict):
    """A house bot that a program can be tried against."""

    name: str
    submission: int


class Language(TypedDict):
    slug: str
    extensions: list[str]
    offered: bool
    only_chosen: bool


class HomeBot(TypedDict):
    """A bot that plays at home."""

    id: int
    name: str
    competition: str
    url: str


class Line(TypedDict):
    """A connection of a bot at home, and what a program has to know to run the bot."""

    line: int
    game: str
    channel: str
    ready_ms: int | None
    turn_ms: int
    answer_bytes: int


class Ask(TypedDict):
    """What a bot at home is asked. step: -1 at the start of the match. answer: of an earlier ask."""

    match: int
    attempt: int
    seat: int
    step: int
    text: str
    answer: str | None


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
