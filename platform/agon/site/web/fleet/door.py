"""What machines ask a site: /healthz (does this process run?), /readyz (can it work?), /metrics.

They are answered before Django sees the request: by any host name, without a redirect to https, without a
session, and without one of the places of pages, all of which a database that hangs may take.

It also counts all answers by their class, and says that this process is alive, for as long as the server runs
(agon.site.fleet.heartbeat).

Anyone may ask: so one look at the site is shared by all that ask within FRESH seconds. What failed is shown
to this machine itself, if the request passed no proxy, and to readers with the token AGON_METRICS_TOKEN.
/metrics is for the latter, and for the networks of AGON_METRICS_NETWORKS; without either it is not there.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from hmac import compare_digest
from ipaddress import ip_address
from secrets import token_hex
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import DatabaseError
from prometheus_client import CONTENT_TYPE_LATEST

from agon.site.core import counting, readiness
from agon.site.core.readiness import Found
from agon.site.fleet.heartbeat import Heartbeat
from agon.site.web.core import open_streams
from agon.site.web.core.body_limit import Application, Message, Receive, Send
from agon.site.web.fleet import metrics

FRESH = 3.0  # seconds
FIGURES_SECONDS = 8.0  # Prometheus waits for ten
SAFE = {"GET", "HEAD"}
PROXIED = {b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip"}
TEXT, JSON = "text/plain; charset=utf-8", "application/json"

log = logging.getLogger(__name__)


T = TypeVar("T")


class _Shared(Generic[T]):
    """The latest result of a function that may take long, for all that ask for it in one event loop."""

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._task: asyncio.Task[T] | None = None
        self._began = 0.0

    async def latest(self) -> T:
        if self._task is None or (self._task.done() and time.monotonic() - self._began > FRESH):
            self._began = time.monotonic()
            self._task = asyncio.create_task(asyncio.to_thread(self._function))
        return await asyncio.shield(self._task)


class _OfLoop(NamedTuple):
    """What one event loop shares."""

    look: _Shared[list[Found]]
    figures: _Shared[bytes]


_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _OfLoop] = WeakKeyDictionary()


def _shared() -> _OfLoop:
    loop = asyncio.get_running_loop()
    if loop not in _loops:
        _loops[loop] = _OfLoop(_Shared(readiness.look), _Shared(metrics.text))
    return _loops[loop]


def watched(application: Application) -> Application:
    """`application`, with the addresses for machines before it."""

    async def inner(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        respond = ADDRESSES.get(scope["path"]) if scope["type"] == "http" else None
        if respond is None:
            await application(scope, receive, _counted(send))
        elif scope["method"] not in SAFE:
            await _send(scope, send, 405, TEXT, "405 Method Not Allowed\n", [(b"allow", b"GET, HEAD")])
        else:
            await _send(scope, send, *await respond(scope))

    return inner


async def _live(receive: Receive, send: Send) -> None:
    """Say that this process is alive, from the start of the server to its end."""
    heartbeat = Heartbeat(f"web-{token_hex(3)}", "web", _facts, has_file=False)
    await receive()  # lifespan.startup
    heartbeat.start()
    await send({"type": "lifespan.startup.complete"})
    await receive()  # lifespan.shutdown
    await asyncio.to_thread(heartbeat.stop)
    await send({"type": "lifespan.shutdown.complete"})


def _facts() -> dict[str, Any]:
    return {"streams": open_streams.total()}


def _counted(send: Send) -> Send:
    async def inner(message: Message) -> None:
        if message["type"] == "http.response.start":
            counting.count("responses", status=f"{message['status'] // 100}xx")
        await send(message)

    return inner


async def _health(_scope: Message) -> tuple[int, str, str]:
    return 200, TEXT, "ok\n"


async def _readiness(scope: Message) -> tuple[int, str, str]:
    results = await _shared().look.latest()
    is_ready = all(check.is_ok for check in results)
    checks: dict[str, Any] = {check.name: "ok" if check.is_ok else "failed" for check in results}
    if is_trusted(scope):
        checks = {
            check.name: {"state": checks[check.name], "seconds": check.seconds, "detail": check.detail}
            for check in results
        }
    text = json.dumps({"ready": is_ready, "checks": checks}, ensure_ascii=False)
    return 200 if is_ready else 503, JSON, text


async def _metrics(scope: Message) -> tuple[int, str, str]:
    if not settings.AGON_METRICS_TOKEN and not settings.AGON_METRICS_NETWORKS:
        return 404, TEXT, "404 Not Found: set AGON_METRICS_TOKEN or AGON_METRICS_NETWORKS.\n"
    if not has_token(scope) and not _is_in_networks(scope):
        return 401, TEXT, "401 Unauthorized: expected the token AGON_METRICS_TOKEN.\n"
    try:
        figures = await asyncio.wait_for(_shared().figures.latest(), FIGURES_SECONDS)
    except (DatabaseError, TimeoutError) as error:
        log.warning("the figures for /metrics could not be read: %s", type(error).__name__)
        return 503, TEXT, "503 Service Unavailable: the database does not answer.\n"
    return 200, CONTENT_TYPE_LATEST, figures.decode()


ADDRESSES = {"/healthz": _health, "/readyz": _readiness, "/metrics": _metrics}


def is_trusted(scope: Message) -> bool:
    """Whether the request is from this machine itself, or has the token."""
    return has_token(scope) or _is_local(scope)


def has_token(scope: Message) -> bool:
    """Whether the request has the token AGON_METRICS_TOKEN, and there is one."""
    given = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(given) != 1 or not settings.AGON_METRICS_TOKEN:
        return False
    scheme, _space, token = given[0].partition(b" ")
    return scheme.lower() == b"bearer" and compare_digest(token.strip(), settings.AGON_METRICS_TOKEN.encode())


def _is_in_networks(scope: Message) -> bool:
    """Whether the connection is from one of AGON_METRICS_NETWORKS, and no proxy has passed it on."""
    if any(name in PROXIED for name, _value in scope["headers"]):
        return False
    try:
        address = ip_address((scope.get("client") or ("",))[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return any(mapped in network for network in settings.AGON_METRICS_NETWORKS)


def _is_local(scope: Message) -> bool:
    """Whether the connection is from this machine, and no proxy has passed it on.

    Of a public site without trusted proxies this is not known: a proxy on this machine may set no header.
    """
    if any(name in PROXIED for name, _value in scope["headers"]):
        return False
    proxies_show = settings.ALLAUTH_TRUSTED_PROXY_COUNT > 0
    site = urlsplit(settings.SITE_URL).hostname or ""
    return _is_loopback((scope.get("client") or ("",))[0]) and (proxies_show or _is_loopback(site))


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _headers(content_type: str, body: bytes) -> Iterator[tuple[bytes, bytes]]:
    yield b"content-type", content_type.encode()
    yield b"content-length", str(len(body)).encode()
    yield b"cache-control", b"no-store"
    yield b"x-content-type-options", b"nosniff"


async def _send(
    scope: Message,
    send: Send,
    status: int,
    content_type: str,
    text: str,
    more: Sequence[tuple[bytes, bytes]] = (),
) -> None:
    body = text.encode()
    headers = [*_headers(content_type, body), *more]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="Agon"'))
    if status == 503:
        headers.append((b"retry-after", b"5"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
