"""Says what decides the ranks of a tournament, in the reader's language."""

from django.utils.translation import gettext as _

from agon.contest.standings import CRITERIA, StandingsRow
from agon.site.tournaments.models import Tournament


def criteria(row: StandingsRow) -> list[tuple[str, str]]:
    """The tie-breaks of a standings table: (short name, meaning)."""
    return [(_(CRITERIA[name][0]), _(CRITERIA[name][1])) for name, _value in row.tie_breaks]


def has_own_points(tournament: Tournament) -> bool:
    """Whether the format counts wins and draws itself, instead of points by the game's rule."""
    return tournament.format in ("swiss", "single_elimination", "double_elimination", "groups")


def decided_by(tournament: Tournament) -> str:
    """A sentence that says what decides the ranks."""
    format, settings = tournament.format, tournament.format_settings
    if format == "swiss":
        return _(
            "Points (1 for a win, 1/2 for a draw) decide, then the tie-breaks from left to right. Entrants "
            "that are equal in all of them share the rank."
        )
    if format in ("single_elimination", "double_elimination"):
        return _("The stage in which a bot was eliminated decides.")
    if format == "groups":
        return _("The stage of the knock-out decides, then the place and the points in the group.")
    if format == "until_decided":
        return _(
            "Mean points decide. Prize places that are not separated with the stated confidence are shared."
        )
    if settings.get("rank_by") == "mean":
        return _("Mean points of a match decide. Equal bots share the rank.")
    if settings.get("ties") == "head_to_head":
        return _("Points decide, then the points of the matches among those with equal points.")
    return _("Points decide. Equal bots share the rank.")
