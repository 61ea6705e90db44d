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
    figures = measured.figures
    luck = "no figure" if figures.luck is None else f"{figures.luck.value:.0%}"
    luck_range = (
        "all results are equal" if figures.luck is None else _range(figures.luck.low, figures.luck.high, "%")
    )
    items = [
        ("Share of luck", luck, f"{luck_range}: what seeds decide, of all that results differ in"),
        (
            "Draws",
            f"{figures.draws.value:.0%}",
            f"{_range(figures.draws.low, figures.draws.high, '%')}: matches whose first place is shared",
        ),
        (
            "Length",
            f"{figures.steps.value:.1f} steps",
            f"{_range(figures.steps.low, figures.steps.high)} on average;"
            f" from {figures.shortest} to {figures.longest}",
        ),
        ("Longest match", f"{measured.seconds:.1f} s", "by the clock, on this machine"),
    ]
    rows = "".join(
        f"<li>{escape(name)}<b>{escape(value)}</b>{escape(more)}</li>" for name, value, more in items
    )
    return f'<h2>The game</h2>\n<ul class="figures">{rows}</ul>'


def _seat_table(measured: Measured) -> str:
    rows = []
    for seat, figure in enumerate(measured.figures.seats, 1):
        words = "no clear advantage"
        if figure.low > 0.5 or figure.high < 0.5:
            words = "better than others" if figure.value > 0.5 else "worse than others"
        interval, chart = _range(figure.low, figure.high, "%"), _chart(*figure, 0.0, 1.0, 0.5)
        rows.append([f"Seat {seat}", f"{figure.value:.1%}", interval, chart, words])
    head = [("seat", "th"), ("ahead of others", "number"), ("95 % interval", "number")]
    head += [("0 to 100 %", "html"), ("", "")]
    caption = "The share of the others that a seat is ahead of. Every bot had every seat with the same seed."
    return "<h2>Advantage of seats</h2>\n" + _table(caption, head, rows)


def _ladder(measured: Measured) -> str:
    """House bots from the strongest to the weakest."""
    low = min(strength.low for strength in measured.strengths)
    high = max(strength.high for strength in measured.strengths)
    places = range(1, len(measured.bots) + 1)
    bots = zip(measured.bots, measured.strengths, places, strict=True)
    rows = [
        [
            name,
            f"{strength.rating:+.0f}",
            _range(strength.low, strength.high),
            _chart(*strength, low, high, 0.0),
            str(place),
        ]
        for name, strength, place in sorted(bots, key=lambda bot: -bot[1].rating)
    ]
    head = [("house bot", "th"), ("strength", "number"), ("95 % interval", "number")]
    head += [(f"{low:.0f} to {high:.0f}", "html"), ("place in game.toml, from the weakest", "number")]
    caption = "Points: 0 is the mean of these bots, 400 points are odds of ten to one."
    return "<h2>Ladder of skill</h2>\n" + _table(caption, head, rows)


def _limits(info: GameInfo, measured: Measured) -> str:
    paces = measured.paces
    rules = {
        "turn_ms": (
            _ms(_most(pace.slowest for pace in paces)),
            f"{MARGIN} times the slowest answer, at least {LEAST_TURN_MS}",
        ),
        "answer_bytes": (
            f"{max(pace.longest for pace in paces)} bytes",
            f"{BYTES_MARGIN} times the longest answer",
        ),
        "ready_ms": (
            _ms(_most(pace.ready for pace in paces)),
            f"{READY_MARGIN} times the slowest start, at least {LEAST_READY_MS}",
        ),
        "memory_mib": (
            _mib(max(pace.memory_kib for pace in paces)),
            f"{MEMORY_MARGIN} times the largest process",
        ),
        "match_s": (
            f"{measured.besides:.2f} s",
            f"{MATCH_MARGIN} times the longest match without the time of its bots, at least {LEAST_MATCH_S}",
        ),
    }
    limits = [
        [name, *(_or_dash(getattr(limit_set, name)) for limit_set in (measured.limits, info.limits)), *rule]
        for name, rule in rules.items()
    ]
    rows = [
        [
            name,
            str(pace.answers),
            *map(_ms, (pace.median, pace.usual, pace.slowest)),
            f"{pace.longest} bytes",
            _ms(pace.ready),
            _mib(pace.memory_kib),
        ]
        for name, pace in zip(measured.bots, paces, strict=True)
    ]
    names = ("answers", "median", "99 of 100 within", "slowest", "longest", "start", "memory")
    head = [("house bot", "th"), *((name, "number") for name in names)]
    figures = [(name, "number") for name in ("suggested", "in game.toml", "measured")]
    return (
        "<h2>Limits</h2>\n"
        + _table(
            "Rounded up. A limit is a choice: others' bots may need more.",
            [("limit", "th"), *figures, ("rule", "words")],
            limits,
        )
        + "\n<h2>What house bots need</h2>\n"
        + _table(
            "Time that counts against the limits, of answers and of the slowest start; memory of the largest"
            " process, as the sandbox counts it.",
            head,
            rows,
        )
    )


def _or_dash(value: object) -> str:
    return "–" if value is None else str(value)


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
    survivors = "".join(
        f"<h3>{escape(os.path.relpath(run.mutation.path, folder))}, line {run.mutation.line}:"
        f" {escape(run.mutation.kind)}</h3>\n<pre>{escape(run.mutation.diff())}</pre>\n"
        for run in mutants.survivors
    )
    return f"<h2>Mutants that survive</h2>\n<p>{escape(words)}</p>\n{survivors}"


def _checks(verdicts: Sequence[Verdict]) -> str:
    rows = [
        [
            f'<span class="{verdict.state}">{escape(verdict.state)}</span>',
            verdict.check.replace("_", " "),
            " ".join((verdict.promise, *verdict.words)),
        ]
        for verdict in verdicts
    ]
    head = [("", "html"), ("check", "th"), ("promise", "")]
    return "<h2>Checks</h2>\n" + _table("What every game promises.", head, rows)


def _method(measured: Measured) -> str:
    figures = measured.figures
    stopped = f" of {measured.wanted}, because the time was over" if measured.stopped else ""
    words = (
        f"{figures.matches} matches were played{stopped}, between {figures.lineups} line-ups of house bots:"
        " each with several seeds, each seed in all rotations of the seats. Intervals hold in 95 of 100"
        " cases, for other seeds and the same bots: the jackknife for seats, luck and length, Wilson's for"
        " draws, the bootstrap for strengths. Luck is the variance of results between the seeds of one"
        " line-up in the same seats, as a share of all variance: 0 % if the line-up decides every match,"
        " 100 % if it decides none."
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


def _cell(kind: str, text: str) -> str:
    if kind == "th":
        return f'<th scope="row">{escape(text)}</th>'
    if kind == "html":
        return f"<td>{text}</td>"
    return f'<td class="{kind}">{escape(text)}</td>' if kind else f"<td>{escape(text)}</td>"


def _table(caption: str, head: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> str:
    """head: the name and the kind of each column: "th", "number", "words", "html", or "" for text."""
    kinds = [kind for _, kind in head]
    columns = "".join(
        f'<th scope="col" class="{kind if kind == "number" else ""}">{escape(name)}</th>'
        if name
        else "<td></td>"
        for name, kind in head
    )
    body = "\n".join(f"<tr>{''.join(map(_cell, kinds, row))}</tr>" for row in rows)
    return (
        f'<div class="table" tabindex="0" role="group" aria-label="{escape(caption)}">\n<table><caption>'
        f"{escape(caption)}</caption>\n<thead><tr>{columns}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )
