"""The order in which accounts are locked, so that two requests never wait for each other.

First the accounts of teams, then those of people, each by number. A team's account is locked together with
its members': who is in it, and what its members do elsewhere, stays as it is until the end of the
transaction. Bots and submissions are locked after accounts.
"""

from collections.abc import Collection

from agon.site.accounts.models import User
from agon.site.teams.models import Team
from agon.site.teams.queries import active


def lock_owner(owner: User) -> list[User]:
    """Lock an owner of bots, and return the people who act for it: a team's members, or the person alone."""
    if Team.objects.filter(account=owner.pk).exists():
        return lock_teams({owner.pk})
    return lock_people({owner.pk})


def lock_owners(owners: Collection[int]) -> None:
    """Lock the accounts of several owners, without those of the members of teams."""
    teams = set(Team.objects.filter(account__in=owners).values_list("account", flat=True))
    lock_people(teams)
    lock_people(set(owners) - teams)


def lock_teams(accounts: Collection[int], people: Collection[int] = ()) -> list[User]:
    """Lock the accounts of teams, their members, and these people as well. Returns all the people."""
    lock_people(accounts)
    members = active().filter(team__account__in=accounts).values_list("user", flat=True)
    return lock_people({*people, *members})


def lock_people(people: Collection[int]) -> list[User]:
    """Lock accounts, in the current transaction; returns them as they are now."""
    rows = User.objects.select_for_update(no_key=True)
    return list(rows.filter(pk__in=people).order_by("pk"))
