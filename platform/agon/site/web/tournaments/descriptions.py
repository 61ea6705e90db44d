"""Says how a tournament is played, and what decides the ranks, in the reader's language."""

from django.utils.translation import gettext as _

from agon.contest.formats.equal import EQUAL
from agon.contest.standings import CRITERIA, StandingsRow
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.standings import is_by_mean_meanwhile


def criteria(row: StandingsRow) -> list[tuple[str, str]]:
    """The tie-breaks of a standings table: (short name, meaning)."""
    return [(_(CRITERIA[name][0]), _(CRITERIA[name][1])) for name, _value in row.tie_breaks]


def decided_by(tournament: Tournament) -> str:
    """A sentence that says what decides the ranks."""
    settings = tournament.format_settings
    if is_by_mean_meanwhile(tournament):
        return _(
            "While it runs, bots are ordered by their mean points of a match; in the end the sum decides."
        )
    if tournament.chosen_format.decided_by:
        return _(tournament.chosen_format.decided_by)
    if settings.get("rank_by") == "mean":
        return _("Ranked by average points per match. Equal bots share the rank.")
    if settings.get("ties") == "head_to_head":
        return _("Points decide, then the points of the matches among those with equal points.")
    return _("Points decide. Equal bots share the rank.")


def describe_ties(tournament: Tournament) -> str:
    """What decides the ranks, and what happens between equals."""
    chosen = tournament.format_settings.get(EQUAL.name)
    if chosen not in EQUAL.choices:
        return decided_by(tournament)
    equal = _("If bots stay equal: %(rule)s.") % {"rule": _(EQUAL.choices[chosen])}
    return f"{decided_by(tournament)} {equal}"


def follows(tournament: Tournament) -> str:
    """What happens when the matches in play are over."""
    text = tournament.chosen_format.follows
    return _(text) if text else _("All pairings were fixed at the start.")
