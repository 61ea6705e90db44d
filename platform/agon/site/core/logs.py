"""How the site's log looks: one line an event, as text or as JSON, without secrets.

- Messages may contain what bots, uploads and visitors wrote: line ends and control characters are escaped, so
  that no text can forge a line or move a terminal's cursor.
- A text line may be followed by a traceback, whose lines are indented; in JSON it is a field.
- What a record is about is given by `extra`: FIELDS.
"""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from agon.contest.text import escape_controls
from agon.site.core.without_secrets import without_secrets

FIELDS = ("match", "attempt", "submission", "worker", "trial", "route", "status", "account", "address")
LONGEST = 4000  # characters of a message
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
FORMS = ("text", "json")
SENTRY = "agon.site.core.sentry.Handler"


def one_line(text: str) -> str:
    """The text without secrets, on one line."""
    line = escape_controls(without_secrets(text))
    return line.replace("\n", "\\n").replace("\t", "\\t")[:LONGEST]


class TextFormatter(logging.Formatter):
    """`2026-11-28 10:31:07,512 WARNING agon.site.matches.leases: match 12, attempt 1 of 3: ...`"""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return f"{self.formatTime(record)} {record.levelname} {record.name}: {one_line(record.getMessage())}"

    def formatException(self, ei: Any) -> str:
        text = escape_controls(without_secrets(super().formatException(ei)))
        return "\n".join(f"    {line}" for line in text.split("\n"))


class JsonFormatter(logging.Formatter):
    """The same as one JSON object a line: time (UTC), level, logger, message, FIELDS, traceback."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": one_line(record.getMessage()),
            "process": record.process,
        }
        for name in FIELDS:
            value = getattr(record, name, None)
            if isinstance(value, int | float):
                entry[name] = value
            elif value is not None:
                entry[name] = one_line(str(value))
        if record.exc_info:
            entry["traceback"] = escape_controls(without_secrets(self.formatException(record.exc_info)))
        return json.dumps(entry, ensure_ascii=False)


class Routes(logging.Filter):
    """Puts the route of a request in place of its address, which may have a secret in it.

    In lines that Django writes of requests: pages that do not exist, forms without a token, failures.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if request is not None and isinstance(record.args, tuple):
            match = getattr(request, "resolver_match", None)
            route = match.route if match else "no route"
            record.args = tuple(route if arg == request.path else arg for arg in record.args)
            record.route = route
        return True


def log_settings(form: str, level: str, sentry: str = "", machine: str = "") -> dict[str, Any]:
    """Django's LOGGING. Servers that log to handlers of their own are made to use ours.

    sentry: where errors are sent; "": nowhere.
    """
    formatter = "agon.site.core.logs.JsonFormatter" if form == "json" else "agon.site.core.logs.TextFormatter"
    ours: dict[str, Any] = {"handlers": [], "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"routes": {"()": "agon.site.core.logs.Routes"}},
        "formatters": {"line": {"()": formatter}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "line"},
            "errors": {"class": "agon.site.core.errors_seen.Handler"},
            **({"sentry": {"()": SENTRY, "dsn": sentry, "machine": machine}} if sentry else {}),
        },
        "root": {"handlers": ["stderr", "errors", *(["sentry"] if sentry else [])], "level": level},
        "loggers": {
            **{name: ours for name in ("uvicorn", "uvicorn.error", "django")},
            "uvicorn.access": {"handlers": [], "propagate": False},  # it logs addresses
            **{name: {"filters": ["routes"]} for name in ("django.request", "django.security.csrf")},
        },
    }
