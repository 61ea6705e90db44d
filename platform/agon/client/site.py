"""What programs do on a site, a method for each operation of the API that they use most."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypedDict

import httpx

from agon.client.answers import (
    Account,
    Ask,
    Bot,
    Challenge,
    Checked,
    Comparison,
    HomeBot,
    Language,
    Line,
    ListedBot,
    Login,
    Match,
    Opponent,
    Row,
    Rungs,
    Submission,
    Trial,
)
from agon.client.connection import API, WAIT, Connection
from agon.client.errors import SiteError, no_site

SHORTEST_WAIT = 1.0
LEAVING = 5.0  # seconds, for a request at the end, which nothing depends on
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
SLOWER = 5  # seconds by which RFC 8628 wants a program to slow down


class _Token(TypedDict):
    access_token: str


class _Asks(TypedDict):
    asks: list[Ask]


class _Taken(TypedDict):
    repeated: bool


class Site(Connection):
    """A site, as the account of a token sees it. Its methods raise SiteError."""

    def me(self) -> Account:
        """The account, and what its token may do."""
        return self._json("GET", "me", Account)

    def begin_login(self, program: str, scopes: Sequence[str] = ()) -> Login:
        """Ask for a token (RFC 8628). program: what people know it by. scopes: by default read and submit."""
        fields = {"client_id": program, "scope": " ".join(scopes)}
        login = self._json("POST", "device/code", Login, data=fields)
        if login["interval"] <= 0:
            raise no_site(self.url, "no code to sign in with")
        return login

    def finish_login(self, login: Login, program: str) -> str:
        """The token, once a person has approved. Raises SiteError: access_denied, expired_token..."""
        fields = {"grant_type": DEVICE_GRANT, "device_code": login["device_code"], "client_id": program}
        interval = login["interval"]
        while True:
            time.sleep(interval)
            try:
                return self._json("POST", "device/token", _Token, data=fields)["access_token"]
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
        return self._items(f"competitions/{competition}/leaderboard", Row)

    def bots(self) -> Iterator[ListedBot]:
        """The account's bots, the newest first."""
        return self._items("me/bots", ListedBot)

    def bots_of(self, competition: str) -> Iterator[ListedBot]:
        """The bots that play in a competition, and those at home that the account may challenge."""
        return self._items(f"competitions/{competition}/bots", ListedBot)

    def bot(self, number: int) -> Bot:
        """A bot with its versions and its row of the leaderboard."""
        return self._json("GET", f"bots/{number}", Bot)

    def rungs(self, bot: int) -> Rungs:
        """Whom a bot beats (`rungs`, the weakest first), with what confidence, and whom to beat `next`."""
        return self._json("GET", f"bots/{bot}/rungs", Rungs)

    def match(self, number: int) -> Match:
        """A match with its seats and their results."""
        return self._json("GET", f"matches/{number}", Match)

    def matches(self, **filters: Any) -> Iterator[Match]:
        """Matches, the newest first. filters: competition, bot, against, tournament, state, kind."""
        return self._items("matches", Match, filters)

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
        address = f"competitions/{competition}/submissions"
        return self._json("POST", address, Checked if check_only else Submission, data=fields, files=files)

    def submission(self, number: int, wait: int = 0) -> Submission:
        """A submission of the account. wait: seconds for which the site may wait until its state changes."""
        return self._json("GET", f"submissions/{number}", Submission, params={"wait": wait})

    def follow(self, number: int) -> Iterator[Submission]:
        """A submission as it is now, and again whenever its state has changed, until it is final."""
        return self._changes(lambda wait: self.submission(number, wait))

    def opponents(self, competition: str) -> list[Opponent]:
        """The house bots that a program can be tried against, the weakest first."""
        return self._json("GET", f"competitions/{competition}/opponents", list[Opponent])

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
        return self._json("POST", f"competitions/{competition}/trials", Trial, json=body)

    def trial(self, name: str, wait: int = 0) -> Trial:
        """A trial of the account. wait: seconds for which the site may wait until its state changes."""
        return self._json("GET", f"trials/{name}", Trial, params={"wait": wait})

    def follow_trial(self, name: str) -> Iterator[Trial]:
        """A trial as it is now, and again whenever its state has changed, until it is over."""
        return self._changes(lambda wait: self.trial(name, wait))

    def comparison(self, number: int) -> Comparison:
        """A comparison of two versions: its state, verdict and shares."""
        return self._json("GET", f"comparisons/{number}", Comparison)

    def compare(self, new: int, old: int) -> Comparison:
        """Compare two versions. new, old: numbers of submissions."""
        return self._json("POST", "comparisons", Comparison, json={"new": new, "old": old})

    def challenge(self, competition: str, bots: Sequence[int], matches: int) -> Challenge:
        """Challenge bots to unrated matches. bots: numbers; first your own, then those that it challenges."""
        body = {"bots": list(bots), "matches": matches}
        return self._json("POST", f"competitions/{competition}/challenges", Challenge, json=body)

    def challenge_so_far(self, number: int, wait: int = 0) -> Challenge:
        """A challenge with its results so far. wait: seconds for which the site may wait until it is over."""
        return self._json("GET", f"challenges/{number}", Challenge, params={"wait": wait})

    def home_bot(self, competition: str, name: str, is_open: bool | None = None) -> HomeBot:
        """The account's bot of this name that plays at home; made if there is none.

        is_open: whether others may challenge it; None: as before, and not if it is new.
        """
        body = {"name": name, "is_open": is_open}
        return self._json("POST", f"competitions/{competition}/home-bots", HomeBot, json=body)

    def connect_home_bot(self, bot: int, no_clock: bool = False) -> Line:
        """Begin a connection, which takes over from the bot's former one: its `line`, the game's limits."""
        return self._json("POST", f"home-bots/{bot}/line", Line, json={"no_clock": no_clock})

    def disconnect_home_bot(self, bot: int, line: int) -> None:
        """Say that a bot at home leaves: tried once and briefly, since the site notices it anyway."""
        with suppress(httpx.HTTPError):
            self._http.delete(f"{self.url}{API}home-bots/{bot}/line", params={"line": line}, timeout=LEAVING)

    def home_asks(self, bot: int, line: int, wait: int = 0) -> list[Ask]:
        """What a bot at home has to answer now. wait: seconds for which the site may wait for something."""
        parameters = {"line": line, "wait": wait}
        return self._json("GET", f"home-bots/{bot}/asks", _Asks, params=parameters)["asks"]

    def earlier_asks(self, bot: int, match: int, seat: int) -> list[Ask]:
        """What it was asked before in a match that is being played, with its answers."""
        return self._json("GET", f"home-bots/{bot}/asks/{match}", _Asks, params={"seat": seat})["asks"]

    def answer_home(self, bot: int, answer: Mapping[str, Any]) -> bool:
        """Send an answer: line, match, attempt, seat, step, text. False if it had been taken before."""
        return not self._json("PUT", f"home-bots/{bot}/answers", _Taken, json=dict(answer))["repeated"]

    def challenges(self, bot: int | None = None) -> Iterator[dict[str, Any]]:
        """The account's challenges, the newest first; with `bot`, all by and of this bot."""
        return self.pages("challenges", bot=bot)

    def cancel_challenge(self, number: int) -> Challenge:
        """End a challenge of the account."""
        return self._json("DELETE", f"challenges/{number}", Challenge)

    def _changes(self, ask: Callable[[int], Any]) -> Iterator[Any]:
        """What `ask` answers now, and whenever its state has changed, until it is final.

        A site that has too many requests waiting answers at once: then we wait here.
        """
        answer = ask(0)
        yield answer
        while not answer["is_final"]:
            began, state = time.monotonic(), answer["state"]
            answer = ask(WAIT)
            if answer["state"] != state:
                yield answer
            else:
                time.sleep(max(0.0, SHORTEST_WAIT - (time.monotonic() - began)))

    def _language_of(self, path: Path) -> str:
        """The language whose files have such names. Raises SiteError."""
        languages = self._json("GET", "languages", list[Language])
        offered = [offer for offer in languages if offer["offered"]]
        for language in offered:
            if path.suffix.lower() in language["extensions"] and not language["only_chosen"]:
                return language["slug"]
        names = ", ".join(offer["slug"] for offer in offered)
        raise SiteError("invalid", f"{path.name}: cannot tell its language; say one of {names}")
