"""The report of `agon check-game --report`: one HTML file that needs no other, in light and dark."""

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path

from agon import __version__
from agon.cli.authors.measuring import (
    BYTES_MARGIN,
    LEAST_MATCH_S,
    LEAST_READY_MS,
    LEAST_TURN_MS,
    MARGIN,
    MATCH_MARGIN,
    MEMORY_MARGIN,
    READY_MARGIN,
    Measured,
)
from agon.cli.authors.mutant_runs import Mutants
from agon.cli.game_checks import Verdict
from agon.resources import RESOURCES
from games.core.manifest import GameInfo

_WIDTH = 400  # of a chart, in its own units
_CSS = """
body { margin: 0 auto; max-width: 60rem; padding: var(--s4); background: var(--paper); color: var(--ink);
  font: var(--step-0)/1.5 var(--sans); }
h1 { font-size: var(--step-3); margin: 0; }
h2 { font-size: var(--step-2); margin: var(--s6) 0 var(--s2); }
p { max-width: var(--measure); }
a { color: var(--accent); }
.figures { display: grid; gap: var(--s3); grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr));
  padding: 0; }
.figures li { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius);
  list-style: none; padding: var(--s3) var(--s4); }
.figures b { display: block; font-size: var(--step-2); }
.note, caption { color: var(--muted); }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: start; padding-bottom: var(--s2); }
th, td { border-bottom: 1px solid var(--line); padding: var(--s1) var(--s3) var(--s1) 0; text-align: start;
  vertical-align: top; }
.words { min-width: 16rem; }
td.number, th.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { display: block; width: 100%; min-width: 10rem; height: 1.25rem; }
svg line { stroke: var(--ink); stroke-width: 2; vector-effect: non-scaling-stroke; }
svg line.zero { stroke: var(--line-strong); stroke-width: 1; stroke-dasharray: 3 3; }
svg circle { fill: var(--accent); }
pre { background: var(--sunken); border-radius: var(--radius-small); font: var(--step--1)/1.4 var(--mono);
  margin: var(--s2) 0; overflow-x: auto; padding: var(--s3); }
.failed { color: var(--bad); }
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}: report</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="note">{about}</p>
{parts}
</main>
</body>
</html>
"""


def report(
    info: GameInfo, verdicts: Sequence[Verdict], measured: Measured, mutants: Mutants | None, sandbox: str
) -> str:
    """The whole page."""
    about = (
        f"{info.summary} Version {info.version}, {_seats(info)}. Checked and measured by Agon {__version__}"
        f" on {datetime.now(UTC):%Y-%m-%d}, in the sandbox {sandbox}."
    )
    parts = [
        _figures(measured),
        _seat_table(measured),
        _ladder(measured),
        _limits(info, measured),
        _mutants(mutants, info.folder.parent) if mutants else "",
        _checks(verdicts),
        _method(measured),
    ]
    style = (RESOURCES / "static" / "css" / "tokens.css").read_text(encoding="utf-8") + _CSS
    return _PAGE.format(title=escape(info.title), style=style, about=escape(about), parts="\n".join(parts))


def _seats(info: GameInfo) -> str:
    fewest, most = info.min_seats, info.max_seats
    return f"{most} seats" if fewest == most else f"{fewest} to {most} seats"


def _figures(measured: Measured) -> str:
    found = measured.figures
    luck = "no figure" if found.luck is None else f"{found.luck.value:.0%}"
    luck_range = (
        "all results are equal" if found.luck is None else _range(found.luck.low, found.luck.high, "%")
    )
    items = [
        ("Share of luck", luck, f"{luck_range}: what seeds decide, of all that results differ in"),
        (
            "Draws",
            f"{found.draws.value:.0%}",
            f"{_range(found.draws.low, found.draws.high, '%')}: matches whose first place is shared",
        ),
        (
            "Length",
            f"{found.steps.value:.1f} steps",
            f"{_range(found.steps.low, found.steps.high)} on average;"
            f" from {found.shortest} to {found.longest}",
        ),
        ("Longest match", f"{measured.seconds:.1f} s", "by the clock, on this machine"),
    ]
    rows = "".join(
        f"<li>{escape(name)}<b>{escape(value)}</b>{escape(more)}</li>" for name, value, more in items
    )
    return f'<h2>The game</h2>\n<ul class="figures">{rows}</ul>'


def _seat_table(measured: Measured) -> str:
    rows = []
    for seat, figure in enumerate(measured.figures.seats):
        words = "no clear advantage"
        if figure.low > 0.5 or figure.high < 0.5:
            words = "better than others" if figure.value > 0.5 else "worse than others"
        rows.append(
            [
                _head(f"Seat {seat + 1}"),
                _number(f"{figure.value:.1%}"),
                _number(_range(figure.low, figure.high, "%")),
                _cell(_chart(figure.value, figure.low, figure.high, 0.0, 1.0, 0.5)),
                _cell(words),
            ]
        )
    head = [
        ("seat", ""),
        ("ahead of others", "number"),
        ("95 % interval", "number"),
        ("0 to 100 %", ""),
        ("", ""),
    ]
    caption = "The share of the others that a seat is ahead of. Every bot had every seat with the same seed."
    return "<h2>Advantage of seats</h2>\n" + _table(caption, head, rows)


def _ladder(measured: Measured) -> str:
    """House bots from the strongest to the weakest."""
    order = sorted(range(len(measured.bots)), key=lambda bot: -measured.strengths[bot].rating)
    low = min(strength.low for strength in measured.strengths)
    high = max(strength.high for strength in measured.strengths)
    rows = [
        [
            _head(measured.bots[bot]),
            _number(f"{measured.strengths[bot].rating:+.0f}"),
            _number(_range(measured.strengths[bot].low, measured.strengths[bot].high)),
            _cell(_chart(*measured.strengths[bot], low, high, 0.0)),
            _number(str(bot + 1)),
        ]
        for bot in order
    ]
    head = [
        ("house bot", ""),
        ("strength", "number"),
        ("95 % interval", "number"),
        (f"{low:.0f} to {high:.0f}", ""),
        ("place in game.toml, from the weakest", "number"),
    ]
    caption = "Points: 0 is the mean of these bots, 400 points are odds of ten to one."
    return "<h2>Ladder of skill</h2>\n" + _table(caption, head, rows)


def _limits(info: GameInfo, measured: Measured) -> str:
    suggested, given = measured.limits, info.limits
    ready = _most(pace.ready for pace in measured.paces)
    rules: list[tuple[str, object, object, str, str]] = [
        (
            "turn_ms",
            suggested.turn_ms,
            given.turn_ms,
            _ms(_most(pace.slowest for pace in measured.paces)),
            f"{MARGIN} times the slowest answer, at least {LEAST_TURN_MS}",
        ),
        (
            "answer_bytes",
            suggested.answer_bytes,
            given.answer_bytes,
            f"{max(pace.longest for pace in measured.paces)} bytes",
            f"{BYTES_MARGIN} times the longest answer",
        ),
        (
            "ready_ms",
            suggested.ready_ms,
            given.ready_ms,
            _ms(ready),
            f"{READY_MARGIN} times the slowest start, at least {LEAST_READY_MS}",
        ),
        (
            "memory_mib",
            suggested.memory_mib,
            given.memory_mib,
            _mib(max(pace.memory_kib for pace in measured.paces)),
            f"{MEMORY_MARGIN} times the largest process",
        ),
        (
            "match_s",
            suggested.match_s,
            given.match_s,
            f"{measured.besides:.2f} s",
            f"{MATCH_MARGIN} times the longest match without the time of its bots, at least {LEAST_MATCH_S}",
        ),
    ]
    limits = [
        [
            _head(name),
            _number("–" if value is None else str(value)),
            _number("–" if own is None else str(own)),
            _number(most),
            f'<td class="words">{escape(rule)}</td>',
        ]
        for name, value, own, most, rule in rules
    ]
    rows = [
        [
            _head(name),
            _number(str(pace.answers)),
            *(_number(_ms(time)) for time in (pace.median, pace.usual, pace.slowest)),
            _number(f"{pace.longest} bytes"),
            _number(_ms(pace.ready)),
            _number(_mib(pace.memory_kib)),
        ]
        for name, pace in zip(measured.bots, measured.paces, strict=True)
    ]
    names = ("house bot", "answers", "median", "99 of 100 within", "slowest", "longest", "start", "memory")
    head = [(name, "number" if place else "") for place, name in enumerate(names)]
    first = [
        ("limit", ""),
        *((name, "number") for name in ("suggested", "in game.toml", "measured")),
        ("rule", ""),
    ]
    return (
        "<h2>Limits</h2>\n"
        + _table("Rounded up. A limit is a choice: others' bots may need more.", first, limits)
        + "\n<h2>What house bots need</h2>\n"
        + _table(
            "Time that counts against the limits, of answers and of the slowest start; memory of the largest"
            " process, as the sandbox counts it.",
            head,
            rows,
        )
    )


def _most(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _ms(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f} ms"


def _mib(kib: int) -> str:
    return f"{kib / 1024:.1f} MiB" if kib else "–"


def _mutants(mutants: Mutants, folder: Path) -> str:
    judged = len(mutants.runs)
    words = (
        f"{mutants.caught} of {judged} mutants of the rules are caught by the game's checks, fates and tests."
        f" {mutants.made - judged} were not judged; {mutants.stated} are on lines with a reason against it."
    )
    found = "".join(
        f"<h3>{escape(os.path.relpath(run.mutation.path, folder))}, line {run.mutation.line}:"
        f" {escape(run.mutation.kind)}</h3>\n<pre>{escape(run.mutation.diff())}</pre>\n"
        for run in mutants.survivors
    )
    return f"<h2>Mutants that survive</h2>\n<p>{escape(words)}</p>\n{found}"


def _checks(verdicts: Sequence[Verdict]) -> str:
    rows = [
        [
            _cell(f'<span class="{verdict.state}">{escape(verdict.state)}</span>'),
            _head(verdict.check.replace("_", " ")),
            _cell(escape(" ".join((verdict.promise, *verdict.words)))),
        ]
        for verdict in verdicts
    ]
    return "<h2>Checks</h2>\n" + _table(
        "What every game promises.", [("", ""), ("check", ""), ("promise", "")], rows
    )


def _method(measured: Measured) -> str:
    found = measured.figures
    stopped = f" of {measured.wanted}, because the time was over" if measured.stopped else ""
    words = (
        f"{found.matches} matches were played{stopped}, between {found.lineups} line-ups of house bots: each"
        " with several seeds, each seed in all rotations of the seats. Intervals hold in 95 of 100 cases, for"
        " other seeds and the same bots: the jackknife for seats, luck and length, Wilson's for draws, the"
        " bootstrap for strengths. Luck is the variance of results between the seeds of one line-up in the"
        " same seats, as a share of all variance: 0 % if the line-up decides every match, 100 % if it decides"
        " none."
    )
    return f"<h2>How this was measured</h2>\n<p>{escape(words)}</p>"


def _chart(value: float, low: float, high: float, least: float, most: float, middle: float) -> str:
    """A point with its interval on a line from `least` to `most`; the table beside it has the numbers."""

    def at(number: float) -> float:
        share = (number - least) / (most - least) if most > least else 0.5
        return round(6 + (_WIDTH - 12) * min(1.0, max(0.0, share)), 1)

    return (
        f'<svg viewBox="0 0 {_WIDTH} 20" preserveAspectRatio="xMidYMid meet" aria-hidden="true">'
        f'<line class="zero" x1="{at(middle)}" x2="{at(middle)}" y1="0" y2="20"/>'
        f'<line x1="{at(low)}" x2="{at(high)}" y1="10" y2="10"/>'
        f'<circle cx="{at(value)}" cy="10" r="5"/></svg>'
    )


def _range(low: float, high: float, unit: str = "") -> str:
    return f"{low:.1%} to {high:.1%}" if unit else f"{low:.0f} to {high:.0f}"


def _cell(html: str) -> str:
    return f"<td>{html}</td>"


def _number(text: str) -> str:
    return f'<td class="number">{escape(text)}</td>'


def _head(text: str) -> str:
    return f'<th scope="row">{escape(text)}</th>'


def _table(caption: str, head: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> str:
    columns = "".join(
        f'<th scope="col" class="{kind}">{escape(name)}</th>' if name else "<td></td>" for name, kind in head
    )
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return (
        f'<div class="table" tabindex="0" role="group" aria-label="{escape(caption)}">\n<table><caption>'
        f"{escape(caption)}</caption>\n<thead><tr>{columns}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )
