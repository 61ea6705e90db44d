"""What people do meanwhile: they upload versions, and an organizer runs one tournament after the other.

Every request has a key of its own and is sent again until the site has answered it, as a program does that
was told that this is safe. So each has to be done once.
"""

import itertools
import threading
from typing import Any

import httpx

from tests.support.processes import ROOT

PROGRAMS = sorted((ROOT / "games/honest_rps/bots").glob("*.py"))
BOTS = [
    program for program in PROGRAMS if program.read_text().count("\ndef ") == 1
]  # others ask for a choice
PATIENCE = 240.0  # seconds for one request to get through
ROUNDS = 1  # so that what waits at the end is done in minutes


class Load:
    """Its thread works until `stop_soon`."""

    def __init__(self, url: str, token: str) -> None:
        self._http = httpx.Client(
            base_url=f"{url}/api/v1/", timeout=10, headers={"Authorization": f"Bearer {token}"}
        )
        self._ended = threading.Event()
        self._numbers = itertools.count()
        self.tries = 0
        self.submissions: dict[int, bytes] = {}  # what was confirmed
        self.tournaments: list[int] = []
        self.error = ""
        self._thread = threading.Thread(target=self._work, name="load", daemon=True)
        self._thread.start()

    def stop_soon(self) -> None:
        """Begin nothing more; what was begun is ended."""
        self._ended.set()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def get(self, path: str) -> Any:
        return self._until_answered("GET", path).json()

    def download(self, path: str) -> bytes:
        return self._until_answered("GET", path).content

    def _work(self) -> None:
        try:
            while not self._ended.wait(0.5):
                self._upload()
                if not self.tournaments or self._is_over(self.tournaments[-1]):
                    self._hold_a_tournament()
        except Exception as error:  # the run reports it
            self.error = f"{type(error).__name__}: {error}"

    def _upload(self) -> None:
        number = next(self._numbers)
        program = BOTS[number % len(BOTS)].read_bytes() + b"\n# version %d\n" % number
        fields = {"bot": f"bot-{number % 6}"}
        files = {"file": ("bot.py", program)}
        answer = self._until_answered("POST", "competitions/honest-rps/submissions", data=fields, files=files)
        if answer.status_code == 201:
            self.submissions[answer.json()["id"]] = program
        elif answer.status_code != 429 and "disk is nearly full" not in answer.text:
            raise RuntimeError(answer.text)

    def _hold_a_tournament(self) -> None:
        bots = [row["id"] for row in self.get("competitions/honest-rps/bots?limit=100")["items"]]
        if len(bots) < 3:
            return
        name = f"Cup {len(self.tournaments) + 1}"
        wanted = {
            "competition": "honest-rps",
            "name": name,
            "format": "round_robin",
            "rounds": ROUNDS,
            "bots": bots,
        }
        made = self._until_answered("POST", "tournaments", json=wanted)
        if made.status_code != 201:
            raise RuntimeError(made.text)
        number = made.json()["id"]
        begun = self._until_answered("POST", f"tournaments/{number}/start", json={"reason": "it is time"})
        if not begun.is_success:
            raise RuntimeError(begun.text)
        self.tournaments.append(number)

    def _is_over(self, number: int) -> bool:
        return bool(self.get(f"tournaments/{number}")["state"] in ("finished", "cancelled"))

    def _until_answered(self, method: str, path: str, **content: Any) -> httpx.Response:
        """The answer of the site: of 429 and 5xx, and of none, it is known that one may try again."""
        key = {"Idempotency-Key": f"chaos-{next(self._numbers)}"} if method == "POST" else {}
        pause = threading.Event()
        for _ in range(int(PATIENCE)):
            self.tries += 1
            try:
                answer = self._http.request(method, path, headers=key, **content)
            except httpx.TransportError:
                pause.wait(1)
                continue
            is_later = answer.status_code == 429 and self._ended.is_set()  # a quota: nothing was begun
            if (answer.status_code < 500 and answer.status_code != 429) or is_later:
                return answer
            pause.wait(1)
        raise RuntimeError(f"{method} {path} was not answered: {answer.status_code} {answer.text[:300]}")
