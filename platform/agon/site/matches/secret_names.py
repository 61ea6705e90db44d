"""Who sits in a match of the ladder is secret until it is over: the ladder draws opponents.

A helper in another box could pass the name of its opponent to a bot that is playing
(docs/explanations/security.md, "Who plays against whom"). Readers see the seats of their own bots alone.
Pairings of tournaments are public.
"""

from collections.abc import Iterable

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import OVER
from agon.site.teams.queries import acts_for

SECRET = Q(kind=Match.Kind.LADDER) & ~Q(state__in=OVER)


def without_secret(matches: QuerySet[Match]) -> QuerySet[Match]:
    """The matches whose bots everyone may know: what is listed by bot or owner must leave out the others."""
    return matches.exclude(SECRET)


def names(match: Match, seats: Iterable[Seat], user: User | AnonymousUser) -> list[str]:
    """By seat, the names that a reader may see; "Seat 2" in place of the others. seats: of the match."""
    return [
        seat.name if may_know(match, seat, user) else _("Seat %(number)s") % {"number": seat.number + 1}
        for seat in sorted(seats, key=lambda seat: seat.number)
    ]


def may_know(match: Match, seat: Seat, user: User | AnonymousUser) -> bool:
    """Whether a reader may know who sits there."""
    return not match.names_are_secret or acts_for(user, seat.submission.bot.owner_id)
