"""A seat in a list of matches, formatted here because a template would be slow for so many."""

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from agon.site.core.texts.fault_names import fault_name
from agon.site.matches.models import Match, Seat
from agon.site.web.templatetags.pages import exact, identicon

register = template.Library()


@register.simple_tag
def listed_seat(match: Match, seat: Seat, with_mark: bool) -> SafeString:
    """Who sat in it, the score, and the first fault.

    with_mark: whether it has a place for a mark of its owner (agon.site.web.matches.listed).
    """
    at_home = match.queue == Match.Queue.HOME and seat.submission.is_home
    return format_html(
        '<li{}>{}<span class="seat-name">{}</span>{}{}{}{}</li>',
        mark_safe(' class="won"') if seat.won else "",
        identicon(seat.name),
        seat.name,
        format_html(" {}", render_to_string("parts/at_home.html")) if at_home else "",
        _mark_place(match, seat) if with_mark and seat.rank else "",
        format_html(' <span class="score">{}</span>', exact(seat.score)) if seat.score else "",
        _first_fault(seat),
    )


def _mark_place(match: Match, seat: Seat) -> SafeString:
    """The comment in whose place the seat's owner gets a mark, and what the mark links to."""
    result = "won" if seat.won else "drawn" if seat.rank == 1 else "lost"
    place = f"{seat.submission.bot.owner_id} {result}"
    if (
        result == "lost"
        and match.seed_is_public
        and match.competition.is_open
        and not seat.submission.is_home
    ):
        place += f" {match.competition.slug} {match.pk} {seat.number}"
    return format_html(" <!--of {}-->", place)


def _first_fault(seat: Seat) -> SafeString:
    fault = next(iter(seat.faults.all()), None)
    if fault is None:
        return SafeString("")
    badge = ' <span class="badge bad" title="{}">{}</span>'
    return format_html(badge, fault.reason, fault_name(fault.kind))
