"""Joining, leaving and closing teams, as far as competitions and bots are concerned by it.

- A new member must not be in a competition twice, where it allows people once
  (agon.site.bots.taking_part).
- A member who has left is no longer asked for by agon.site.teams.queries: they see and do nothing of the team
  from the next request on.
- Where a captain's account is closed, and no other captain is left, the member who joined first is captain.
- When the last member leaves, the team is closed: its bots leave play and its account ends, as when a
  person's account is closed.

Each function locks the team's account, its members' and the person's (agon.site.teams.locking).
"""

from django.db import transaction
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.bots.taking_part import TakesPartAlready, check_joining
from agon.site.core.db.deadlocks import repeated_after_deadlock
from agon.site.teams import queries, services, states
from agon.site.teams.locking import lock_teams
from agon.site.teams.models import Role, Team
from agon.site.teams.services import Refused
from agon.site.use_cases import ending_accounts


@transaction.atomic
def join(secret: str, user: User) -> Team:
    """Become a member by an invitation; who is one already stays one. Raises NoInvitation, Refused."""
    lock_teams({services.invited_to(secret).account_id}, {user.pk})
    team = services.invited_to(secret)  # as it is now
    user.refresh_from_db()
    check_may_join(team, user)
    if not queries.active().filter(team=team, user=user).exists():
        services.add(team, user)
    return team


def check_may_join(team: Team, user: User) -> None:
    """Raises Refused; a member may."""
    if queries.active().filter(team=team, user=user).exists():
        return
    services.check_free_seat(team)
    services.check_room_for(user)
    try:
        check_joining(team, user)
    except TakesPartAlready as why:
        raise Refused(str(why)) from None


@repeated_after_deadlock
@transaction.atomic
def leave(team: Team, user: User) -> None:
    """Leave a team; the last member closes it. Raises Refused."""
    team = services.locked_for(team, user)
    services.check_may_leave(team, user.pk)
    _end(team, user, user)


@transaction.atomic
def remove(team: Team, by: User, member: int) -> None:
    """Remove another member. Raises Refused."""
    team = services.locked_for(team, by, Role.CAPTAIN)
    if member == by.pk:
        raise Refused(_("To leave a team, use its page."))
    services.end(services.membership(team, member), by)


@repeated_after_deadlock
@transaction.atomic
def close(team: Team, by: User, why: str = "", bots_too: bool = False) -> None:
    """Close a team at the request of a captain. Raises Refused."""
    _close(services.locked_for(team, by, Role.CAPTAIN), by, why, bots_too)


@repeated_after_deadlock
@transaction.atomic
def close_by_administrator(team: Team, by: User, why: str, bots_too: bool) -> None:
    """Close a team for a reason. Raises Refused."""
    lock_teams({team.account_id})
    team = Team.objects.select_related("account").get(pk=team.pk)
    if team.state != states.State.OPEN:
        raise Refused(_("The team is closed."))
    _close(team, by, why, bots_too)


def leave_all(user: User, by: User) -> None:
    """Leave all teams, also as the last captain; the caller has locked them."""
    for team in queries.teams_of(user):
        _end(team, user, by)
        services.hand_over(team, None)


def _end(team: Team, user: User, by: User) -> None:
    services.end(services.membership(team, user.pk), by)
    if not queries.members(team):
        _close(team, by, "", bots_too=False)


def _close(team: Team, by: User, why: str, bots_too: bool) -> None:
    services.close_locked(team, by)
    team.move(states.CLOSE)
    ending_accounts.end(team.account, by, why, bots_too)
