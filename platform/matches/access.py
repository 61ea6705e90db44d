"""Who may see what of a match. Matches are public; what a bot says to its author is not."""

from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from bots.access import may_see_private
from matches.models import Seat


def may_see_stderr(user: User | AnonymousUser, seat: Seat) -> bool:
    """The bot's owner, staff, and the organiser of the tournament that the match belongs to."""
    tournament = seat.match.tournament
    if tournament is not None and user.is_authenticated and tournament.organiser_id == user.pk:
        return True
    return may_see_private(user, seat.submission)
