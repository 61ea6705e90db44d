"""Who acts for which owner, and who is in which team.

A person acts for their own account and for those of the open teams that they are in. Whether a bot is theirs
to see or to change is always asked here, and never by comparing its owner with the reader.
"""

from collections.abc import Collection, Iterable, Mapping

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, QuerySet

from agon.site.accounts.models import User
from agon.site.teams.models import Membership, Role, Team
from agon.site.teams.states import State

_KEPT = "_roles_in_teams"


def roles(user: User | AnonymousUser) -> Mapping[int, Role]:
    """The user's role in each open team, by the team's account. Asked once for each `User` object, which
    lives as long as a request does.
    """
    if not isinstance(user, User) or user.pk is None:
        return {}
    kept: Mapping[int, Role] | None = getattr(user, _KEPT, None)
    if kept is None:
        rows = active().filter(user=user.pk).values_list("team__account", "role")
        kept = {account: Role(role) for account, role in rows}
        setattr(user, _KEPT, kept)
    return kept


def forget(user: User) -> None:
    """The user's teams have changed, or are to be read anew: ask again."""
    if hasattr(user, _KEPT):
        delattr(user, _KEPT)


def acting_accounts(user: User | AnonymousUser) -> frozenset[int]:
    """The accounts whose bots are the user's own: theirs, and those of their open teams."""
    return frozenset({user.pk, *roles(user)}) if user.is_authenticated else frozenset()


def acts_for(user: User | AnonymousUser, account: int) -> bool:
    """Whether the bots of this account are the user's own."""
    return user.is_authenticated and (account == user.pk or account in roles(user))


def leads(user: User | AnonymousUser, account: int) -> bool:
    """Whether the user decides alone for this account: it is theirs, or they are captain of the team."""
    return user.is_authenticated and (account == user.pk or roles(user).get(account) == Role.CAPTAIN)


def active() -> QuerySet[Membership]:
    """The memberships that have not ended, of open teams."""
    return Membership.objects.filter(left=None, team__state=State.OPEN)


def teams_of(user: User) -> QuerySet[Team]:
    """The open teams that a person is in, by name."""
    theirs = Team.objects.filter(pk__in=active().filter(user=user).values("team"))
    return theirs.select_related("account").order_by("account__username")


def team_of(account: int) -> Team | None:
    """The team, open or closed, that has this account; None: it is a person's."""
    return Team.objects.select_related("account").filter(account=account).first()


def members(team: Team) -> list[Membership]:
    """The members, in the order in which they joined."""
    return list(active().filter(team=team).select_related("user").order_by("joined", "pk"))


def captain_of_teams() -> dict[int, int]:
    """The captain of each team, by the team's account: of several the one who joined first; of a closed team
    the one who left it last.
    """
    captains = Membership.objects.filter(role=Role.CAPTAIN)
    first_joined_last = captains.order_by(F("left").asc(nulls_last=True), "-joined", "-pk")
    return dict(first_joined_last.values_list("team__account", "user"))


def is_present(owner: User) -> bool:
    """Whether an owner of bots has not left: a person who may sign in, or a team that is open.

    No one signs in to the account of a team: it is never active.
    """
    if owner.is_active:
        return True
    team: Team | None = getattr(owner, "team", None)
    return team is not None and team.state == State.OPEN


def people_of(accounts: Collection[int]) -> dict[int, set[int]]:
    """Who acts for each of these accounts: of a team its members, otherwise the person alone."""
    rows = list(active().filter(team__account__in=accounts).values_list("team__account", "user"))
    people: dict[int, set[int]] = {}
    for account, person in rows:
        people.setdefault(account, set()).add(person)
    teams = set(Team.objects.filter(account__in=accounts).values_list("account", flat=True))
    return {account: people.get(account, set() if account in teams else {account}) for account in accounts}


def groups(accounts: Iterable[int]) -> dict[int, int]:
    """For each account a number that it shares with those for which the same people act, even indirectly:
    a person, their teams, and these teams' other members.
    """
    own = set(accounts)
    parent: dict[int, int] = {}

    def root(account: int) -> int:
        while parent.setdefault(account, account) != account:
            account = parent[account]
        return account

    for account, person in active().filter(team__account__in=own).values_list("team__account", "user"):
        first, second = sorted((root(account), root(person)))
        parent[second] = first
    return {account: root(account) for account in own}
