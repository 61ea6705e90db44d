"""Closes an account: it can no longer be signed in to, and its personal data is erased.

What becomes of it is in agon.site.use_cases.ending_accounts. Its owner leaves their teams
(agon.site.use_cases.teams); the account of a team is closed with the team. A student cannot close the own
account while an upload is being checked that can count for a milestone whose deadline has passed.
"""

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.accounts.services import HOUSE, ONLY_ADMINISTRATOR, administrators
from agon.site.bots.states import PENDING
from agon.site.core.db.deadlocks import repeated_after_deadlock
from agon.site.teams import queries
from agon.site.teams.locking import lock_teams
from agon.site.teams.models import Team
from agon.site.teams.queries import team_of
from agon.site.teams.services import Refused
from agon.site.use_cases import ending_accounts, leaving_play, teams
from agon.site.use_cases.leaving_play import ActionNotAllowed

ADMINISTRATOR = "accounts.delete_user"


class CannotClose(Exception):
    """The account cannot be closed; str(e) says why, in the reader's language."""


def may_close(by: User | AnonymousUser, user: User) -> bool:
    """Users may close their own accounts, administrators those of others, and only superusers those of
    staff.
    """
    if user.closed is not None or user.username == HOUSE or not by.is_authenticated:
        return False
    if by.pk == user.pk or by.is_superuser:
        return True
    return by.has_perm(ADMINISTRATOR) and not user.is_staff and not user.is_superuser


@repeated_after_deadlock
@transaction.atomic
def close(user: User, by: User, why: str, bots_too: bool = False) -> None:
    """Close the account of `user`, and leave an entry in both logs. Raises CannotClose.

    bots_too: whether its bots are deleted rather than withdrawn. why: for the log, from an administrator.
    """
    team = team_of(user.pk)
    if team is not None:
        _close_team(team, by, why, bots_too)
        return
    in_teams = set(queries.roles(user))
    lock_teams(in_teams, {user.pk, *administrators().values_list("pk", flat=True)})
    user = User.objects.get(pk=user.pk)
    if user.closed is not None:
        raise CannotClose(_("This account is already closed."))
    if list(administrators()) == [user]:
        raise CannotClose(str(ONLY_ADMINISTRATOR))
    if queries.roles(user).keys() - in_teams:  # which are not locked
        raise CannotClose(_("The account has joined a team just now. Try again."))
    if by.pk == user.pk:
        _check_nothing_waits(user)
    teams.leave_all(user, by)
    ending_accounts.end(user, by, why, bots_too)


def _check_nothing_waits(user: User) -> None:
    try:
        for bot in user.bots.filter(submissions__state__in=PENDING).distinct():
            leaving_play.check_nothing_waits(bot)
    except ActionNotAllowed as error:
        raise CannotClose(str(error)) from None


def _close_team(team: Team, by: User, why: str, bots_too: bool) -> None:
    try:
        teams.close_by_administrator(team, by, why, bots_too)
    except Refused as error:
        raise CannotClose(str(error)) from None
