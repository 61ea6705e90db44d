"""Who may see what of a match. Matches are public; what a bot wrote for its author is not."""

from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from bots.access import may_see_private
from matches.models import Seat
from tournaments.services import may_organise


def may_see_stderr(user: User | AnonymousUser, seat: Seat) -> bool:
    """Those who may see the submission's source, and those who may run the match's tournament."""
    tournament = seat.match.tournament
    runs_it = tournament is not None and may_organise(user, tournament)
    return runs_it or may_see_private(user, seat.submission)
