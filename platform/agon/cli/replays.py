"""`agon play --browser`: shows the matches just played in the site's player, on this machine only.

- Processes: this process serves HTTP on 127.0.0.1, at a free port, until Ctrl-C. It serves the player's
  scripts and style sheets, the game's viewer, and the matches.
- Trust: a request must have the printed address in its Host header. So a page of another site whose name
  resolves to 127.0.0.1 (DNS rebinding) cannot read the matches.
"""

import json
import signal
import webbrowser
from collections.abc import Mapping, Sequence
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import games
from agon.advice import debug_lines
from agon.cli.output import CommandError, say
from agon.contest import replay_data
from agon.contest.arena import Played
from agon.resources import RESOURCES
from games.core.manifest import GameInfo, file_of

STATIC = RESOURCES / "static"
MOST_SHOWN = 100  # matches
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_STYLES = ("tokens", "base", "layout", "components", "play")
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="/static/img/logo.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
<script src="/static/js/viewer.js" type="module"></script>
<body class="embed">
<main class="wrap">
<h1>{title}</h1>
{others}
<div class="viewer" data-viewer="/viewer.js" data-log="/matches/{number}/log.json"
  data-debug="/matches/{number}/debug.json" data-failed="The replay could not be loaded."></div>
</main>
"""


class Answer(NamedTuple):
    """A response. kind: its media type."""

    kind: str
    body: bytes


def show(info: GameInfo, matches: Sequence[Played]) -> None:
    """Serve the replays until Ctrl-C. Raises CommandError if there is nothing to show."""
    if file_of(info.slug, "viewer.js") is None:
        raise CommandError(f"--browser: {info.slug} has no viewer.js")
    if not matches:
        raise CommandError("--browser: no match was played to its end")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.daemon_threads = True
        address = f"http://127.0.0.1:{server.server_port}/"
        _Handler.host = f"127.0.0.1:{server.server_port}"
        _Handler.answers = answers(info, matches[:MOST_SHOWN])
        say(f"replay: {address} (Ctrl-C ends)")
        webbrowser.open(address)
        for number in (signal.SIGINT, signal.SIGTERM):  # a background job of a script ignores the former
            signal.signal(number, signal.default_int_handler)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


def answers(info: GameInfo, matches: Sequence[Played]) -> dict[str, Answer]:
    """The responses by path."""
    viewer = file_of(info.slug, "viewer.js")
    assert viewer is not None
    styles = b"".join((STATIC / "css" / f"{name}.css").read_bytes() for name in _STYLES)
    by_path = {
        "/viewer.js": Answer("text/javascript", viewer.read_bytes()),
        "/style.css": Answer("text/css", styles),
        "/static/img/logo.svg": Answer("image/svg+xml", (STATIC / "img" / "logo.svg").read_bytes()),
    }
    for script in (STATIC / "js").glob("*.js"):
        by_path[f"/static/js/{script.name}"] = Answer("text/javascript", script.read_bytes())
    for script in (path for folder in games.__path__ for path in Path(folder).glob("*.js")):
        by_path[f"/games/{script.name}"] = Answer("text/javascript", script.read_bytes())
    for number, match in enumerate(matches):
        page = Answer("text/html", _page(info, matches, number).encode())
        by_path[f"/matches/{number}/"] = page
        by_path[f"/matches/{number}/log.json"] = _json(replay_data.whole(match.log, replay_data.ENGLISH))
        by_path[f"/matches/{number}/debug.json"] = _json({"pieces": _pieces(match)})
    by_path["/"] = by_path["/matches/0/"]
    return by_path


def _pieces(match: Played) -> list[dict[str, object]]:
    """The standard error of all bots. On the user's own machine, no bot's output is secret."""
    return [
        piece._asdict()
        for seat, stderr in enumerate(match.stderr)
        for piece in debug_lines.pieces(
            match.log, seat, stderr, match.stderr_at[seat] if match.stderr_at else ()
        )
    ]


def _page(info: GameInfo, matches: Sequence[Played], number: int) -> str:
    names = " – ".join(seat.name for seat in matches[number].log.seats)
    return _PAGE.format(
        title=escape(f"{names} · {info.title}"), number=number, others=_others(matches, number)
    )


def _others(matches: Sequence[Played], shown: int) -> str:
    """Links to the other matches, by seed."""
    if len(matches) == 1:
        return ""
    links = [
        f"<b>{match.log.seed}</b>"
        if number == shown
        else f'<a href="/matches/{number}/">{match.log.seed}</a>'
        for number, match in enumerate(matches)
    ]
    return f"<p>Seeds: {' '.join(links)}</p>"


def _json(data: Mapping[str, object]) -> Answer:
    return Answer("application/json", json.dumps(data).encode())


class _Handler(BaseHTTPRequestHandler):
    host = ""
    answers: Mapping[str, Answer] = {}

    def do_GET(self) -> None:
        answer = self.answers.get(self.path.partition("?")[0])
        if self.headers.get("Host") != self.host:
            return self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        if answer is None:
            return self.send_error(HTTPStatus.NOT_FOUND)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", f"{answer.kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:
        """Do not log requests."""
