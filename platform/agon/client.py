"""A site of Agon, for scripts and for the command line.

    from agon.client import Site

    site = Site("https://agon.example", token="agon_...")
    submission = site.submit("my-competition", "My bot", "bot.py")
    for submission in site.follow(submission["id"]):
        print(submission["state"])

A request that did not reach the site, or that it asked to repeat, is sent again a few times. That is safe:
each request that changes something has an idempotency key.
"""

import itertools
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypedDict, cast

import httpx

API = "/api/v1/"
ATTEMPTS = 4  # of a request
LONGEST_PAUSE = 30.0  # seconds between two of them; a site that asks for a longer one is reported
WAIT = 30  # seconds for which a site may hold a request until something changes
SHORTEST_WAIT = 1.0
TIMEOUT = httpx.Timeout(20.0, read=WAIT + 30.0)
LEAVING = 5.0  # seconds, for a request at the end, which nothing depends on
LONGEST_OWN_PAUSE = 5.0  # seconds, where the site asks for none
TOO_MANY = 429
AGAIN = (TOO_MANY, 503)
AWAY = (502, 503, 504)  # what a proxy answers whose site is away
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
SLOWER = 5  # seconds by which RFC 8628 wants a program to slow down


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


class SiteError(Exception):
    """What a site answered instead of doing it; str(e) is its sentence.

    code: of a problem, as the site's documentation lists them; "unreachable" if there was no answer.
    hint: what to do next, or "". retry_after: seconds after which to try again, or None.
    """

    def __init__(
        self, code: str, message: str, status: int = 0, hint: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.hint = hint
        self.retry_after = retry_after


class Site:
    """A site, as the account of a token sees it. Its methods raise SiteError."""

    def __init__(
        self,
        url: str,
        token: str = "",
        patience: float = 0.0,
        on_wait: Callable[[str], None] = lambda words: None,
    ) -> None:
        """url: of its front page. token: made on the page of the account; without one, what is public.

        patience: seconds for which to wait for a site that has answered before and is away, as while it is
        upgraded. on_wait: called once when that begins, with a sentence.
        """
        self.url = url.rstrip("/")
        self._patience = patience
        self._on_wait = on_wait
        self._has_answered = False
        headers = {"User-Agent": "agon-client"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._http = httpx.Client(headers=headers, timeout=TIMEOUT, follow_redirects=False)

    def __enter__(self) -> "Site":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def me(self) -> dict[str, Any]:
        """The account, and what its token may do."""
        return cast(dict[str, Any], self._json("GET", "me"))

    def begin_login(self, program: str, scopes: Sequence[str] = ()) -> Login:
        """Ask for a token (RFC 8628). program: what people know it by. scopes: by default read and submit."""
        fields = {"client_id": program, "scope": " ".join(scopes)}
        login: Login = self._json("POST", "device/code", data=fields)
        texts = ("device_code", "user_code", "verification_uri", "verification_uri_complete")
        numbers = ("expires_in", "interval")
        if not (_has(login, texts, str) and _has(login, numbers, int) and login["interval"] > 0):
            raise SiteError("no_site", f"{self.url} is no site of Agon: it sent no code to sign in with")
        return login

    def finish_login(self, login: Login, program: str) -> str:
        """The token, once a person has approved. Raises SiteError: access_denied, expired_token..."""
        fields = {"grant_type": DEVICE_GRANT, "device_code": login["device_code"], "client_id": program}
        interval = login["interval"]
        while True:
            time.sleep(interval)
            try:
                return str(self._json("POST", "device/token", data=fields)["access_token"])
            except SiteError as error:
                if error.code == "slow_down":
                    interval += SLOWER
                elif error.code != "authorization_pending":
                    raise

    def competitions(self, archived: bool = False) -> Iterator[dict[str, Any]]:
        """The competitions that are not archived, the newest first; with `archived`, those that are."""
        return self.pages("competitions", archived="true") if archived else self.pages("competitions")

    def leaderboard(self, competition: str) -> Iterator[Row]:
        """The rows of a leaderboard, best first."""
        return self.pages(f"competitions/{competition}/leaderboard")

    def bots(self) -> Iterator[dict[str, Any]]:
        """The account's bots, the newest first."""
        return self.pages("me/bots")

    def bot(self, number: int) -> dict[str, Any]:
        """A bot with its versions and its row of the leaderboard."""
        return cast(dict[str, Any], self._json("GET", f"bots/{number}"))

    def rungs(self, bot: int) -> dict[str, Any]:
        """Whom a bot beats (`rungs`, the weakest first), with what confidence, and whom to beat `next`."""
        return cast(dict[str, Any], self._json("GET", f"bots/{bot}/rungs"))

    def match(self, number: int) -> dict[str, Any]:
        """A match with its seats and their results."""
        return cast(dict[str, Any], self._json("GET", f"matches/{number}"))

    def matches(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """Matches, the newest first. filters: competition, bot, against, tournament, state, kind."""
        return self.pages("matches", **filters)

    def submit(
        self,
        competition: str,
        bot: str,
        program: str | Path,
        check_only: bool = False,
        team: str | None = None,
    ) -> Any:
        """Enter a program, a file or an archive, as the next version of a bot; a new name enters a new bot.

        The program that the newest version has already is not entered again. Returns the Submission; with
        `check_only`, which keeps nothing, what it would become. team: the one that a new bot is for.
        """
        path = Path(program)
        fields = {"bot": bot, "dry_run": "true" if check_only else "false"}
        if team is not None:
            fields["team"] = team
        files = {"file": (path.name, path.read_bytes())}
        return self._json("POST", f"competitions/{competition}/submissions", data=fields, files=files)

    def submission(self, number: int, wait: int = 0) -> Submission:
        """A submission of the account. wait: seconds for which the site may wait until its state changes."""
        return cast(Submission, self._json("GET", f"submissions/{number}", params={"wait": wait}))

    def follow(self, number: int) -> Iterator[Submission]:
        """A submission as it is now, and again whenever its state has changed, until it is final."""
        return self._changes(lambda wait: self.submission(number, wait))

    def opponents(self, competition: str) -> list[dict[str, Any]]:
        """The house bots that a program can be tried against, the weakest first."""
        return cast(list[dict[str, Any]], self._json("GET", f"competitions/{competition}/opponents"))

    def try_program(
        self, competition: str, program: str | Path, opponent: str | None = None, language: str | None = None
    ) -> Trial:
        """Play one match of a source file, which is not entered, against a house bot.

        opponent: its name; None: the one for a first try. language: a slug; None: that of the file's name.
        """
        path = Path(program)
        body = {
            "text": path.read_text(encoding="utf-8"),
            "language": language or self._language_of(path),
            "opponent": opponent,
        }
        return cast(Trial, self._json("POST", f"competitions/{competition}/trials", json=body))

    def trial(self, name: str, wait: int = 0) -> Trial:
        """A trial of the account. wait: seconds for which the site may wait until its state changes."""
        return cast(Trial, self._json("GET", f"trials/{name}", params={"wait": wait}))

    def follow_trial(self, name: str) -> Iterator[Trial]:
        """A trial as it is now, and again whenever its state has changed, until it is over."""
        return self._changes(lambda wait: self.trial(name, wait))

    def comparison(self, number: int) -> dict[str, Any]:
        """A comparison of two versions: its state, verdict and shares."""
        return cast(dict[str, Any], self._json("GET", f"comparisons/{number}"))

    def challenge(self, competition: str, bots: Sequence[int], matches: int) -> Challenge:
        """Challenge bots to unrated matches. bots: numbers; first your own, then those that it challenges."""
        body = {"bots": list(bots), "matches": matches}
        return cast(Challenge, self._json("POST", f"competitions/{competition}/challenges", json=body))

    def challenge_so_far(self, number: int, wait: int = 0) -> Challenge:
        """A challenge with its results so far. wait: seconds for which the site may wait until it is over."""
        return cast(Challenge, self._json("GET", f"challenges/{number}", params={"wait": wait}))

    def home_bot(self, competition: str, name: str, is_open: bool | None = None) -> dict[str, Any]:
        """The account's bot of this name that plays at home; made if there is none.

        is_open: whether others may challenge it; None: as before, and not if it is new.
        """
        body = {"name": name, "is_open": is_open}
        return cast(dict[str, Any], self._json("POST", f"competitions/{competition}/home-bots", json=body))

    def connect_home_bot(self, bot: int, no_clock: bool = False) -> dict[str, Any]:
        """Begin a connection, which takes over from the bot's former one: its `line`, the game's limits."""
        return cast(dict[str, Any], self._json("POST", f"home-bots/{bot}/line", json={"no_clock": no_clock}))

    def disconnect_home_bot(self, bot: int, line: int) -> None:
        """Say that a bot at home leaves: tried once and briefly, since the site notices it anyway."""
        with suppress(httpx.HTTPError):
            self._http.delete(f"{self.url}{API}home-bots/{bot}/line", params={"line": line}, timeout=LEAVING)

    def home_asks(self, bot: int, line: int, wait: int = 0) -> list[dict[str, Any]]:
        """What a bot at home has to answer now. wait: seconds for which the site may wait for something."""
        found: dict[str, Any] = self._json(
            "GET", f"home-bots/{bot}/asks", params={"line": line, "wait": wait}
        )
        return list(found["asks"])

    def told_home_bot(self, bot: int, match: int, seat: int) -> list[dict[str, Any]]:
        """What it was asked before in a match that is being played, with its answers."""
        found: dict[str, Any] = self._json("GET", f"home-bots/{bot}/asks/{match}", params={"seat": seat})
        return list(found["asks"])

    def answer_home(self, bot: int, answer: Mapping[str, Any]) -> bool:
        """Send an answer: line, match, attempt, seat, step, text. False if it had been taken before."""
        return not self._json("PUT", f"home-bots/{bot}/answers", json=dict(answer))["repeated"]

    def challenges(self, bot: int | None = None) -> Iterator[dict[str, Any]]:
        """The account's challenges, the newest first; with `bot`, all by and of this bot."""
        return self.pages("challenges", bot=bot)

    def cancel_challenge(self, number: int) -> Challenge:
        """End a challenge of the account."""
        return cast(Challenge, self._json("DELETE", f"challenges/{number}"))

    def download(self, path: str) -> bytes:
        """A file, such as "matches/7/record" or "tournaments/3/archive"."""
        response = self._send("GET", path)
        if response.headers.get("Content-Type", "").startswith("text/html"):  # of something before a site
            raise SiteError("no_site", f"{self.url} is no site of Agon: it sent a page")
        return response.content

    def pages(self, path: str, **parameters: Any) -> Iterator[Any]:
        """The items of a list, page by page."""
        given = {name: value for name, value in parameters.items() if value is not None}
        cursor: dict[str, str] = {}
        while True:
            page = self._json("GET", path, params=given | cursor)
            yield from page["items"]
            if page["next"] is None:
                return
            cursor = {"cursor": page["next"]}

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Any other operation, as the site's documentation of the API lists them: ("PATCH", "me", {...}).

        None if there is nothing to return.
        """
        response = self._send(method, path, **({} if body is None else {"json": body}))
        return self._parsed(response) if response.content else None

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """`call` with POST."""
        return self.call("POST", path, body or {})

    def _changes(self, ask: Callable[[int], Any]) -> Iterator[Any]:
        """What `ask` answers now, and whenever its state has changed, until it is final.

        A site that has too many requests waiting answers at once: then we wait here.
        """
        found = ask(0)
        yield found
        while not found["is_final"]:
            began, state = time.monotonic(), found["state"]
            found = ask(WAIT)
            if found["state"] != state:
                yield found
            else:
                time.sleep(max(0.0, SHORTEST_WAIT - (time.monotonic() - began)))

    def _language_of(self, path: Path) -> str:
        """The language whose files have such names. Raises SiteError."""
        offered = [each for each in self._json("GET", "languages") if each["offered"]]
        for each in offered:
            if path.suffix.lower() in each["extensions"] and not each["only_chosen"]:
                return str(each["slug"])
        names = ", ".join(each["slug"] for each in offered)
        raise SiteError("invalid", f"{path.name}: cannot tell its language; say one of {names}")

    def _json(self, method: str, path: str, **kwargs: Any) -> Any:
        return self._parsed(self._send(method, path, **kwargs))

    def _parsed(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except ValueError:
            raise SiteError("no_site", f"{self.url} is no site of Agon: it sent no JSON") from None

    def _send(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        """The response, after as many attempts as it takes. Raises SiteError."""
        headers = {"Idempotency-Key": secrets.token_urlsafe(18)} if method == "POST" else {}
        until = time.monotonic() + self._patience
        for failed in itertools.count(1):
            try:
                return self._send_once(method, path, headers=headers, **kwargs)
            except SiteError as error:
                pause = self._pause(error, failed, until)
                if pause is None:
                    raise
            time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _send_once(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        try:
            response = self._http.request(method, f"{self.url}{API}{path}", **kwargs)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol):
            raise SiteError("no_site", f"{self.url} is no address of a site") from None
        except httpx.TransportError as error:
            if "SSL:" in str(error):  # trying again would not help
                raise SiteError("no_site", f"{self.url}: no secure connection: {error}") from None
            why = str(error) or type(error).__name__
            raise SiteError("unreachable", f"{self.url} does not answer: {why}") from None
        if response.status_code >= 300:
            raise _error(response, self.url)
        self._has_answered = True
        return response

    def _pause(self, error: SiteError, failed: int, until: float) -> float | None:
        """Seconds after which a request that has failed so often is sent again; None: not at all."""
        own = min(2.0**failed / 4, LONGEST_OWN_PAUSE)
        is_awaited = self._has_answered and time.monotonic() < until
        if error.status in AGAIN and error.retry_after is not None:
            pause = error.retry_after if error.retry_after <= LONGEST_PAUSE else None
        else:
            is_away = error.code == "unreachable" or (is_awaited and error.status in AWAY)
            pause = own if is_away else None
        if pause is None or failed < ATTEMPTS:
            return pause
        if not is_awaited or error.status == TOO_MANY:
            return None
        if failed == ATTEMPTS:
            self._on_wait(f"{error}; waiting for it, for {self._patience / 60:.0f} minutes at most")
        return pause


def _has(data: Any, names: Sequence[str], kind: type) -> bool:
    """Whether data from a site is an object in which these fields are of one type."""
    return isinstance(data, dict) and all(isinstance(data.get(name), kind) for name in names)


def _seconds(response: httpx.Response) -> float | None:
    """The seconds of Retry-After."""
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isdecimal() else None


def _error(response: httpx.Response, url: str) -> SiteError:
    try:
        problem = response.json()
        if "error" in problem:  # of OAuth
            return SiteError(problem["error"], problem["error_description"], response.status_code)
        code, detail = problem["code"], problem["detail"]
    except (ValueError, KeyError, TypeError):
        detail = f"{url} answered {response.status_code} {response.reason_phrase}"
        code = "unavailable" if response.status_code >= 500 else "no_site"  # a proxy, whose site is away
        return SiteError(code, detail, response.status_code, retry_after=_seconds(response))
    fields = [
        f"{each.get('pointer') or each.get('parameter')}: {each['detail']}"
        for each in problem.get("errors", [])
        if each["detail"] != detail
    ]
    sentence = "\n".join([detail, *fields])
    return SiteError(code, sentence, response.status_code, problem.get("hint", ""), _seconds(response))
