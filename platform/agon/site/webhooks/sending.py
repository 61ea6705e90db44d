"""Sends one message to a webhook: to the address that was checked, within seconds, without redirects.

A receiver cannot make it take longer: a timer shuts the connection down, whatever is sent on it, and at what
pace. No more of an answer is read than its status and its headers.
"""

import contextlib
import functools
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from typing import NamedTuple

from django.utils.http import parse_http_date_safe

from agon.site.webhooks import targets
from agon.site.webhooks.models import Outcome
from agon.site.webhooks.targets import BadTarget, NotPublic, Target

SECONDS = 5.0  # for one message, once its host was looked up (agon.site.webhooks.targets)
LONGEST_WAIT = 14_400  # seconds


class Answer(NamedTuple):
    """retry_after: the seconds for which the receiver asks not to try again, at most LONGEST_WAIT."""

    outcome: Outcome
    status: int | None = None
    retry_after: int = 0


def post(url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send it, and say how that ended. Raises nothing that a receiver could bring about."""
    try:
        target = targets.parse(url)
        address = targets.resolve(target.host, target.port)
    except (BadTarget, NotPublic):
        return Answer(Outcome.ADDRESS)
    except TimeoutError:
        return Answer(Outcome.TIMEOUT)
    except (OSError, UnicodeError):
        return Answer(Outcome.UNKNOWN_HOST)
    connection = _Connection(target, address)
    timer = threading.Timer(SECONDS, connection.shut_down)
    timer.daemon = True
    timer.start()
    try:
        connection.request("POST", target.path, body, dict(headers))
        response = connection.getresponse()
        if connection.is_late:
            return Answer(Outcome.TIMEOUT)
        return _answer(response.status, response.headers.get("Retry-After", ""))
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Answer(Outcome.TIMEOUT if connection.is_late else _why(error))
    finally:
        timer.cancel()
        connection.close()


def _answer(status: int, retry_after: str) -> Answer:
    if 200 <= status < 300:
        return Answer(Outcome.DELIVERED, status)
    outcome = Outcome.REDIRECT if 300 <= status < 400 else Outcome.STATUS
    return Answer(outcome, status, _seconds(retry_after))


def _seconds(retry_after: str) -> int:
    """The header Retry-After, seconds or a date (RFC 9110, section 10.2.3); 0 if it is neither."""
    if retry_after.isascii() and retry_after.isdecimal():
        return min(int(retry_after[:9]), LONGEST_WAIT)
    date = parse_http_date_safe(retry_after)
    return 0 if date is None else max(0, min(date - int(time.time()), LONGEST_WAIT))


def _why(error: Exception) -> Outcome:
    if isinstance(error, TimeoutError):
        return Outcome.TIMEOUT
    return Outcome.TLS if isinstance(error, ssl.SSLError) else Outcome.UNREACHABLE


@functools.cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


class _Connection(http.client.HTTPConnection):
    """A connection to one address of a host, whose certificate is checked for the host's name."""

    def __init__(self, target: Target, address: str) -> None:
        super().__init__(target.host, target.port, timeout=SECONDS)
        self.default_port = targets.PORTS[target.scheme]  # which the header Host leaves out
        self.is_late = False
        self._target = target
        self._address = address

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self._target.port), SECONDS)
        if self.is_late:  # there was nothing to shut down yet
            raise TimeoutError
        if self._target.scheme == "https":
            wrapped = _tls().wrap_socket(
                self.sock, server_hostname=self._target.host, do_handshake_on_connect=False
            )
            self.sock = wrapped  # before the handshake, so that this can be shut down, too
            wrapped.do_handshake()

    def shut_down(self) -> None:
        """End whatever another thread is doing with it."""
        self.is_late = True
        if self.sock is not None:
            with contextlib.suppress(OSError):  # it is closed already
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)  # not that of TLS, which would speak
