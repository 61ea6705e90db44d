"""The head-to-head matrix of a ladder: SIZE bots a page against the best MOST_COLUMNS.

It is written without a template: with 200 bots there are 10,000 cells a page. It is rendered at most once in
FRESH seconds, for all readers.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agon.site.competitions.models import Competition
from agon.site.core.cached import cached
from agon.site.leaderboards.head_to_head import Met, head_to_head
from agon.site.leaderboards.table import Row, count, rows

SIZE = 50  # rows of a page
MOST_COLUMNS = 200
HEAT = 10  # the darkest shade of a cell
FRESH = 15.0  # seconds: while results arrive, the leaderboard changes twice a second


class LadderMatrix(NamedTuple):
    """A rendered page. number: from 1. bots: those on all pages that have a result."""

    html: str
    number: int
    pages: int
    bots: int


def matrix(competition: Competition, wanted: int) -> LadderMatrix:
    """The page `wanted`, or the last one."""
    wanted = min(max(wanted, 1), _pages(count(competition)))  # arbitrary numbers must not fill the cache
    key = f"ladder-matrix:{competition.pk}:{get_language()}:{wanted}"
    return LadderMatrix(*cached(key, partial(_rendered, competition, wanted), FRESH))


def _rendered(competition: Competition, wanted: int) -> tuple[str, int, int, int]:
    """The fields of a LadderMatrix: caches keep plain values."""
    bots = [row for row in rows(competition) if row.known]
    pages = _pages(len(bots))
    number = min(wanted, pages)
    shown, columns = bots[(number - 1) * SIZE : number * SIZE], bots[:MOST_COLUMNS]
    met = head_to_head(competition)
    address = reverse("matches", args=[competition.slug]) + "?kind=ladder&amp;state=finished"
    lines = [_line(row, columns, met, address) for row in shown]
    return _table(columns, lines), number, pages, len(bots)


def _pages(bots: int) -> int:
    return max(1, -(-bots // SIZE))


def _table(columns: Sequence[Row], lines: Sequence[SafeString]) -> SafeString:
    heads = format_html_join(
        "\n", '<th scope="col" class="upright"><span>{}</span></th>', ((row.bot,) for row in columns)
    )
    return format_html(
        '<table class="matrix ladder-matrix"><thead><tr><th scope="col">{}</th><th scope="col">{}</th>{}</tr>'
        "</thead>\n<tbody>{}</tbody></table>",
        *(_("Rank"), _("Bot"), heads),
        mark_safe("\n".join(lines)),  # each was escaped
    )


def _line(row: Row, columns: Sequence[Row], met: dict[tuple[int, int], Met], address: str) -> SafeString:
    cells = [_cell(row, column, met.get((row.bot_id, column.bot_id)), address) for column in columns]
    return format_html(
        '<tr><td class="num">{}</td><th scope="row"><a href="{}">{}</a></th>{}</tr>',
        *(row.rank, reverse("bot", args=[row.bot_id]), row.bot),
        mark_safe("".join(cells)),  # of numbers only
    )


def _cell(row: Row, column: Row, met: Met | None, address: str) -> str:
    if met is None:
        return (
            '<td class="num muted"></td>' if row.bot_id == column.bot_id else '<td class="num muted">–</td>'
        )
    link = f"{address}&amp;bot={row.bot_id}&amp;against={column.bot_id}"
    return (
        f'<td class="num heat heat-{round(met.share * HEAT)}"><a href="{link}"'
        f' title="{met.ahead}–{met.equal}–{met.behind}">{round(100 * met.share)}</a></td>'
    )
