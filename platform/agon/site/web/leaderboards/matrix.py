"""The head-to-head matrix of a ladder: SIZE bots a page against the best MOST_COLUMNS.

It is written without a template: with 200 bots there are 10,000 cells a page. It is rendered once per change
of the leaderboard, and cached for all readers.
"""

from collections.abc import Sequence
from typing import NamedTuple

from django.core.cache import cache
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agon.site.competitions.models import Competition
from agon.site.leaderboards.head_to_head import Met, head_to_head
from agon.site.leaderboards.models import Leaderboard
from agon.site.leaderboards.table import Row, rows

SIZE = 50  # rows of a page
MOST_COLUMNS = 200
HEAT = 10  # the darkest shade of a cell
CACHE_SECONDS = 60


class LadderMatrix(NamedTuple):
    """A rendered page. number: from 1. bots: those on all pages that have a result."""

    html: str
    number: int
    pages: int
    bots: int


def matrix(competition: Competition, wanted: int) -> LadderMatrix:
    """The page `wanted`, or the last one."""
    version = Leaderboard.objects.filter(competition=competition).values_list("version", flat=True).first()
    key = f"ladder-matrix:{competition.pk}:{version}:{get_language()}:{wanted}"
    found = cache.get(key)
    if found is None:
        found = tuple(_rendered(competition, wanted))
        cache.set(key, found, CACHE_SECONDS)
    return LadderMatrix(*found)


def _rendered(competition: Competition, wanted: int) -> LadderMatrix:
    bots = [row for row in rows(competition) if row.known]
    pages = max(1, -(-len(bots) // SIZE))
    number = min(max(wanted, 1), pages)
    shown, columns = bots[(number - 1) * SIZE : number * SIZE], bots[:MOST_COLUMNS]
    met = head_to_head(competition)
    address = reverse("matches", args=[competition.slug]) + "?kind=ladder&amp;state=finished"
    lines = [_line(row, columns, met, address) for row in shown]
    return LadderMatrix(_table(columns, lines), number, pages, len(bots))


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
