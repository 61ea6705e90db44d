"""Who may run a tournament, see it, and see what its bots write to standard error."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q

from agon.site.accounts.models import User
from agon.site.competitions.access import CREATES_TOURNAMENTS, RUNS_ALL, may_run
from agon.site.competitions.models import Competition, Organizer
from agon.site.teams.queries import acting_accounts
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.states import State


def may_organize(
    user: User | AnonymousUser, tournament: Tournament | None = None, competition: Competition | None = None
) -> bool:
    """Whether `user` may run this tournament or, without one, may create some (of this competition).

    To have made it is not enough: one who no longer organizes the competition no longer runs what they made.
    """
    if not user.is_authenticated:
        return False
    if user.has_perm(RUNS_ALL):
        return True
    where = competition if tournament is None else tournament.competition
    if where is not None and may_run(user, where):
        return True
    made = tournament is None or tournament.organizer_id == user.pk
    return made and user.has_perm(CREATES_TOURNAMENTS)


def organized_by(user: User | AnonymousUser) -> Q:
    """Selects the tournaments that `user` may run: those for which `may_organize` is true."""
    if not user.is_authenticated:
        return Q(pk__in=[])
    if user.has_perm(RUNS_ALL):
        return Q()
    organized = Q(competition__in=Organizer.objects.filter(user=user.pk).values("competition"))
    return organized | Q(organizer=user.pk) if user.has_perm(CREATES_TOURNAMENTS) else organized


def may_see_logs(user: User | AnonymousUser, tournament: Tournament) -> bool:
    """Whether `user` may see what all of its bots write to standard error, as one who runs it.

    One who takes part must wait for the end: it may reveal how another bot plays.
    """
    if not may_organize(user, tournament):
        return False
    return tournament.is_over or not tournament.entrants.filter(bot__owner__in=acting_accounts(user)).exists()


def visible(user: User | AnonymousUser) -> Q:
    """Selects the tournaments that `user` may see.

    A draft is visible only to those who may start it, because its entrants are not public yet; unless all
    active bots will enter, which is announced with a time, or owners enter their bots. It stays visible if it
    is cancelled or cannot start, with the reason: nothing that was announced just disappears.
    """
    if user.has_perm(RUNS_ALL):
        return Q()
    announced = ~Q(field=Tournament.Field.CHOSEN)
    entered_by_owners = Q(state__in=(State.DRAFT, State.CANCELLED), sources_open=True)
    return Q(started__isnull=False) | announced | entered_by_owners | organized_by(user)
