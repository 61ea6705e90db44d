"""What changes a team by itself: making it, its invitation, and its members' roles.

Each function locks the team's account and its members' (agon.site.teams.locking), looks again at who may do
what, and records the act with the team. What concerns bots as well, such as joining where competitions limit
it and leaving, is in agon.site.use_cases.teams.
"""

import secrets
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.teams import queries
from agon.site.teams.locking import lock_people, lock_teams
from agon.site.teams.models import Membership, Role, Team
from agon.site.teams.states import State

INVITED_FOR = timedelta(days=7)
DAY = timedelta(days=1)
MOST_A_DAY = 10  # teams that one person creates: the name of each is taken for a month at least
BYTES = 24  # of an invitation's secret


class Refused(Exception):
    """A team cannot be changed so; str(e) says why, in the reader's language. field: "name", or ""."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class NoInvitation(Exception):
    """No team has this invitation, or no more."""


@transaction.atomic
def create(name: str, by: User) -> Team:
    """Make a team, whose captain is who made it. Raises Refused.

    The caller has checked the name as that of every new account; whether it is free is looked at here.
    """
    [now] = lock_people({by.pk})
    check_room_for(now)
    _check_created(now)
    account = User(username=name, is_active=False)
    account.set_unusable_password()
    try:
        account.clean()
        with transaction.atomic():
            account.save()
    except ValidationError as error:
        raise Refused(" ".join(error.messages), "name") from None
    except IntegrityError:  # another one got it just now
        raise Refused(_("A user with that username already exists."), "name") from None
    team = Team.objects.create(account=account)
    Membership.objects.create(team=team, user=by, role=Role.CAPTAIN)
    record(Verb.TEAM_CREATE, team, by)
    queries.forget(by)
    return team


@transaction.atomic
def renew_invitation(team: Team, by: User) -> Team:
    """Make a link by which people join, or another one in its place. Raises Refused."""
    team = locked_for(team, by, Role.CAPTAIN)
    team.invitation = secrets.token_urlsafe(BYTES)
    team.invited_until = timezone.now() + INVITED_FOR
    team.save(update_fields=["invitation", "invited_until"])
    record(Verb.TEAM_INVITE, team, by)
    return team


@transaction.atomic
def revoke_invitation(team: Team, by: User) -> None:
    """No one can join by the link anymore. Raises Refused."""
    team = locked_for(team, by, Role.CAPTAIN)
    if team.invitation:
        _no_invitation(team)
        record(Verb.TEAM_REVOKE, team, by)


@transaction.atomic
def set_role(team: Team, by: User, member: int, role: Role) -> None:
    """Make a member captain, or a captain member. Raises Refused."""
    team = locked_for(team, by, Role.CAPTAIN)
    current = membership(team, member)
    if current.role == role:
        return
    if current.role == Role.CAPTAIN and not _has_other_captain(team, member):
        raise Refused(last_captain_stays(team))
    current.role = role
    current.save(update_fields=["role"])
    record(Verb.TEAM_ROLE, team, by, account=member, role=role)


def invited_to(secret: str) -> Team:
    """The open team of an invitation that holds. Raises NoInvitation."""
    team = Team.objects.select_related("account").filter(invitation=secret, state=State.OPEN).first()
    if not secret or team is None or team.invited_until is None or team.invited_until < timezone.now():
        raise NoInvitation(secret)
    return team


def check_free_seat(team: Team) -> None:
    """Raises Refused if the team has as many members as a team may have."""
    if len(queries.members(team)) >= settings.AGON_TEAM_MEMBERS:
        words = _("%(team)s is full: a team has at most %(most)d members.")
        raise Refused(words % {"team": team, "most": settings.AGON_TEAM_MEMBERS})


def check_room_for(user: User) -> None:
    """Raises Refused if a person is in as many teams as one may be in, or has closed their account."""
    if user.closed is not None:
        raise Refused(_("This account is closed."))
    if queries.teams_of(user).count() >= settings.AGON_TEAMS_PER_USER:
        words = _("You are in as many teams as allowed, %(most)d. Leave one of them first.")
        raise Refused(words % {"most": settings.AGON_TEAMS_PER_USER})


def _check_created(user: User) -> None:
    made = Act.objects.filter(actor=user, verb=Verb.TEAM_CREATE, at__gt=timezone.now() - DAY)
    if made.count() >= MOST_A_DAY:
        words = _("You have created %(most)d teams within a day. Wait before you create another.")
        raise Refused(words % {"most": MOST_A_DAY})


def add(team: Team, user: User) -> None:
    """Add a member to a team; the caller has locked both, and made all checks."""
    Membership.objects.create(team=team, user=user)
    record(Verb.TEAM_JOIN, team, user)
    queries.forget(user)


def end(membership: Membership, by: User) -> None:
    """End a membership; the caller has locked the team, and made all checks."""
    membership.left = timezone.now()
    membership.save(update_fields=["left"])
    if membership.user_id == by.pk:
        record(Verb.TEAM_LEAVE, membership.team, by)
    else:
        record(Verb.TEAM_REMOVE, membership.team, by, account=membership.user_id)
    queries.forget(membership.user)
    queries.forget(by)


def hand_over(team: Team, by: User | None) -> None:
    """Make the member who joined first captain if no captain is left; the caller has locked the team."""
    left = queries.members(team)
    if left and not any(membership.role == Role.CAPTAIN for membership in left):
        first = left[0]
        first.role = Role.CAPTAIN
        first.save(update_fields=["role"])
        record(Verb.TEAM_ROLE, team, by, account=first.user_id, role=Role.CAPTAIN)


def check_may_leave(team: Team, member: int) -> None:
    """Raises Refused if they are the last captain of others."""
    others = [membership for membership in queries.members(team) if membership.user_id != member]
    if others and not any(other.role == Role.CAPTAIN for other in others):
        raise Refused(last_captain_stays(team))


def locked_for(team: Team, by: User, role: Role | None = None) -> Team:
    """The team as it is now, locked with its members, if `by` is in it, and has the role. Raises Refused."""
    lock_teams({team.account_id})
    team = Team.objects.select_related("account").get(pk=team.pk)
    if team.state != State.OPEN:
        raise Refused(_("The team is closed."))
    mine = queries.active().filter(team=team, user=by).first()
    if mine is None:
        raise Refused(_("You are no longer a member of %(team)s.") % {"team": team})
    if role is not None and mine.role != role:
        raise Refused(_("Only captains of %(team)s may do this.") % {"team": team})
    return team


def membership(team: Team, member: int) -> Membership:
    """Raises Refused if there is none that has not ended."""
    result = queries.active().select_related("user", "team__account").filter(team=team, user=member).first()
    if result is None:
        raise Refused(_("This person is no longer a member of %(team)s.") % {"team": team})
    return result


def close_locked(team: Team, by: User) -> None:
    """Close a team that the caller has locked; what becomes of its account and bots is the caller's."""
    _no_invitation(team)
    for member in queries.members(team):
        member.left = timezone.now()
        member.save(update_fields=["left"])
    record(Verb.TEAM_CLOSE, team, by)
    queries.forget(by)


def record(verb: Verb, team: Team, by: User | None, **details: object) -> None:
    """Add an entry to the team's history. Accounts are named by number: names are erased when they close."""
    acts.record(verb, by, None, subject=f"account {team.account_id}", details=details, team=team)


def last_captain_stays(team: Team) -> str:
    return _("You are the only captain of %(team)s. Make another member captain first.") % {"team": team}


def _has_other_captain(team: Team, member: int) -> bool:
    return any(
        membership.role == Role.CAPTAIN and membership.user_id != member
        for membership in queries.members(team)
    )


def _no_invitation(team: Team) -> None:
    team.invitation, team.invited_until = "", None
    team.save(update_fields=["invitation", "invited_until"])
