"""Sends what the log holds as errors to a Sentry server, if SENTRY_DSN names one.

An event has the message before its values are filled in, the classes of the exceptions, the lines of code
that they went through, and which route, match or submission it was about. It has no values: those of messages
and exceptions may be what bots, uploads or visitors wrote. No address, account, request or variable.
"""

import logging
from types import TracebackType
from typing import Any

import sentry_sdk
from django.core.exceptions import ImproperlyConfigured
from sentry_sdk.utils import BadDsn, exceptions_from_error_tuple

from agon import __version__

TOLD = (
    "match",
    "attempt",
    "submission",
    "worker",
    "trial",
    "route",
    "status",
)  # of agon.site.core.logs.FIELDS
OWN = ("sentry_sdk", "urllib3")  # loggers: that an event cannot be sent is no event

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


class Handler(logging.Handler):
    """Sends records of the level ERROR and above, from a thread of its own."""

    def __init__(self, dsn: str, machine: str) -> None:
        """Raises ImproperlyConfigured if the address is none."""
        super().__init__(logging.ERROR)
        try:
            sentry_sdk.init(
                dsn=dsn,
                release=f"agon@{__version__}",
                server_name=machine,
                default_integrations=False,
                auto_enabling_integrations=False,
                include_local_variables=False,
                max_breadcrumbs=0,
            )
        except BadDsn:
            raise ImproperlyConfigured(
                "SENTRY_DSN: expected an address such as https://KEY@sentry.example.org/1"
            ) from None

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith(OWN):
            return
        try:
            sentry_sdk.capture_event(_event(record))
        except Exception:
            self.handleError(record)


def _event(record: logging.LogRecord) -> Any:
    event: dict[str, Any] = {
        "level": "fatal" if record.levelno >= logging.CRITICAL else "error",
        "logger": record.name,
        "message": str(record.msg),
        "tags": {name: str(value) for name in TOLD if (value := getattr(record, name, None)) is not None},
    }
    if record.exc_info and record.exc_info[1] is not None:
        options = sentry_sdk.get_client().options  # else the frames have their variables
        values = exceptions_from_error_tuple(record.exc_info, options)
        event["exception"] = {
            "values": [
                {name: event_value[name] for name in ("type", "module", "stacktrace") if name in event_value}
                for event_value in values
            ]
        }
    return event
