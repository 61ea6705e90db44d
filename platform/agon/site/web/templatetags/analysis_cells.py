"""The results in a part of a bot's matches, formatted here because a template would be slow for so many."""

from django import template
from django.utils.formats import localize
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from agon.site.web.leaderboards.insight_words import Cell
from agon.site.web.templatetags.pages import of_matches, percent, signed
from agon.statistics.weaknesses.evidence import PartBeside

register = template.Library()

EMPTY = mark_safe('<td class="num muted">–</td>' * 3)


@register.simple_tag
def analysis_cells(title: str, cell: Cell | None) -> SafeString:
    """Three cells of a table: matches, result, and the difference from elsewhere. title: of the part."""
    if cell is None:
        return EMPTY
    return format_html(
        '<td class="num"><a href="{}" aria-label="{}: {}">{}</a></td><td class="num">{}</td>'
        '<td class="num">{}</td>',
        *(cell.href, title, of_matches(cell.line.matches), localize(cell.line.matches)),
        percent(cell.line.share),
        _difference(cell.line),
    )


def _difference(line: PartBeside) -> SafeString:
    if not line.others:
        return mark_safe('<span class="muted">–</span>')
    kind = ' class="worse"' if line.high < 0 else ' class="better"' if line.low > 0 else ""
    return format_html(
        '<strong{}>{}</strong> <span class="muted small">{} … {}</span>',
        *(mark_safe(kind), signed(line.difference), signed(line.low), signed(line.high)),
    )
