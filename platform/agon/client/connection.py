"""Requests to a site: sent again where that is safe and may help, and what was refused as an error.

A request that did not reach the site, or that it asked to repeat, is sent again a few times. That is safe:
each request that changes something has an idempotency key.
"""

import functools
import itertools
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self, TypedDict, TypeVar, cast

import httpx

from agon.client.checking import Received, fits
from agon.client.errors import SiteError, no_site, other_version

API = "/api/v1/"
ATTEMPTS = 4  # of a request
LONGEST_PAUSE = 30.0  # seconds between two of them; a site that asks for a longer one is reported
WAIT = 30  # seconds for which a site may hold a request until something changes
TIMEOUT = httpx.Timeout(20.0, read=WAIT + 30.0)
LONGEST_OWN_PAUSE = 5.0  # seconds, where the site asks for none
AROUND = 40  # characters shown beside what cannot be sent
TOO_MANY = 429
AGAIN = (TOO_MANY, 503)
AWAY = (502, 503, 504)  # what a proxy answers whose site is away
_Kind = TypeVar("_Kind")


class _Page(TypedDict):
    """A part of a list. next: the cursor of the following one."""

    items: list[Any]
    next: str | None


class Connection:
    """Requests with the account of a token. All methods raise SiteError."""

    def __init__(
        self,
        url: str,
        token: str = "",
        patience: float = 0.0,
        on_wait: Callable[[str], None] = lambda words: None,
    ) -> None:
        """url: of its front page. token: made on the page of the account; without one, what is public. It may
        have the end of its line.

        patience: seconds for which to wait for a site that has answered before and is away, as while it is
        upgraded. on_wait: called once when that begins, with a sentence.
        """
        self.url = url.rstrip("/")
        self._patience = patience
        self._on_wait = on_wait
        self._has_answered = False
        headers = {"User-Agent": "agon-client"}
        if token := token.strip():
            if not is_sendable(token):
                raise SiteError("token_unknown", "that is no token: expected agon_, letters and digits")
            headers["Authorization"] = f"Bearer {token}"
        self._http = _http_client(headers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def download(self, path: str) -> bytes:
        """A file, such as "matches/7/record" or "tournaments/3/archive"."""
        response = self._send("GET", path)
        if response.headers.get("Content-Type", "").startswith("text/html"):  # of something before a site
            raise no_site(self.url, "a page")
        return response.content

    def pages(self, path: str, **parameters: Any) -> Iterator[Any]:
        """The items of a list, page by page."""
        return self._items(path, dict[str, Any], parameters)

    def _items(
        self, path: str, kind: type[_Kind], parameters: Mapping[str, Any] | None = None
    ) -> Iterator[_Kind]:
        """The same, each of which has to fit a type of agon.client.answers."""
        given = {name: value for name, value in (parameters or {}).items() if value is not None}
        cursor: dict[str, str] = {}
        while True:
            page = self._json("GET", path, _Page, params=given | cursor)
            yield from (self._fitting(item, path, kind) for item in page["items"])
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

    def _json(self, method: str, path: str, kind: type[_Kind], **kwargs: Any) -> _Kind:
        """The answer, which has to fit a type of agon.client.answers."""
        return self._fitting(self._parsed(self._send(method, path, **kwargs)), path, kind)

    def _fitting(self, value: Any, path: str, kind: type[_Kind]) -> _Kind:
        if not fits(value, kind):
            raise other_version(self.url, f"something else for “{path}” than was expected")
        return cast(_Kind, value)

    def _parsed(self, response: httpx.Response) -> Any:
        try:
            return response.json(object_hook=functools.partial(Received, self.url))
        except (ValueError, RecursionError):
            raise no_site(self.url, "no JSON") from None

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
            request = self._http.build_request(method, f"{self.url}{API}{path}", **kwargs)
        except UnicodeEncodeError as error:  # a name of a file may be any bytes
            around = error.object[max(0, error.start - AROUND) : error.end + AROUND]
            words = around.encode(errors="backslashreplace").decode()
            raise SiteError("invalid", f"{words}: expected text in UTF-8") from None
        except httpx.InvalidURL:
            raise self._no_address() from None
        try:
            response = self._http.send(request)
        except (httpx.UnsupportedProtocol, UnicodeError):  # the latter for names that no host can have
            raise self._no_address() from None
        except httpx.DecodingError:
            raise no_site(self.url, "what cannot be decompressed") from None
        except httpx.TransportError as error:
            if "SSL:" in str(error):  # trying again would not help
                raise SiteError("no_site", f"{self.url}: no secure connection: {error}") from None
            why = str(error) or type(error).__name__
            raise SiteError("unreachable", f"{self.url} does not answer: {why}") from None
        if response.status_code >= 300:
            raise _error(response, self.url)
        self._has_answered = True
        return response

    def _no_address(self) -> SiteError:
        words = f"{self.url} is no address of a site: expected one like https://agon.example"
        return SiteError("no_site", words)

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


def is_sendable(token: str) -> bool:
    """Whether a header can hold it."""
    return token.isascii() and token.isprintable()


def _http_client(headers: Mapping[str, str]) -> httpx.Client:
    """Raises SiteError for what the environment says about proxies and certificates, and cannot be used."""
    try:
        return httpx.Client(headers=headers, timeout=TIMEOUT, follow_redirects=False)
    except OSError as error:
        words = "SSL_CERT_FILE or SSL_CERT_DIR: the certificates cannot be read"
        raise SiteError("no_site", f"{words}: {error.strerror or error}") from None
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        words = "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY or NO_PROXY cannot be used"
        raise SiteError("no_site", f"{words}: {error}") from None


def _seconds(response: httpx.Response) -> float | None:
    """The seconds of Retry-After."""
    text = response.headers.get("Retry-After", "")
    return float(text[:9]) if text.isdecimal() else None  # decades are as good as any more


def _code_of_proxy(status: int) -> str:
    """The code of a problem for what a proxy answered instead of the site."""
    if status == TOO_MANY:
        return "too_many_requests"
    return "unavailable" if status >= 500 else "no_site"


class _Field(TypedDict):
    """What is wrong with one field of a request."""

    pointer: str | None
    parameter: str | None
    detail: str


class _Problem(TypedDict):
    """A problem (RFC 9457) of a site, or an error of OAuth."""

    code: str
    detail: str
    hint: str
    errors: list[_Field]
    error: str
    error_description: str


def _error(response: httpx.Response, url: str) -> SiteError:
    status, after = response.status_code, _seconds(response)
    try:
        problem = response.json()
        if not fits(problem, _Problem):
            raise TypeError
        if "error" in problem:
            return SiteError(problem["error"], problem["error_description"], status)
        code, detail = problem["code"], problem["detail"]
        fields = [
            f"{error.get('pointer') or error.get('parameter')}: {error['detail']}"
            for error in problem.get("errors", [])
            if error["detail"] != detail
        ]
    except (ValueError, KeyError, TypeError, RecursionError):  # not of a site
        detail = f"{url} answered {status} {response.reason_phrase}"
        moved = response.headers.get("Location", "")
        hint = f"it redirects to {moved}; name the site by its address there" if moved else ""
        return SiteError(_code_of_proxy(status), detail, status, hint, after)
    return SiteError(code, "\n".join([detail, *fields]), status, problem.get("hint", ""), after)
