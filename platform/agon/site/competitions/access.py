"""Who may make competitions, and who may run one."""

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition

RUNS_ALL = "tournaments.change_tournament"  # the organizers of the site
CREATES_TOURNAMENTS = "tournaments.add_tournament"
MAKES = (CREATES_TOURNAMENTS, RUNS_ALL, "competitions.add_competition")


def may_create(user: User | AnonymousUser) -> bool:
    """Organizers of the site; everyone with an account, if an administrator says so."""
    if not user.is_authenticated:
        return False
    return settings.AGON_ANYONE_MAY_ORGANIZE or is_organizer(user)


def is_organizer(user: User) -> bool:
    """Whether `user` is an organizer of the site."""
    return any(user.has_perm(right) for right in MAKES)


def may_run(user: User | AnonymousUser, competition: Competition) -> bool:
    """Whether `user` is an organizer of this competition, or of all."""
    if not user.is_authenticated:
        return False
    return user.has_perm(RUNS_ALL) or competition.organizers.filter(user=user.pk).exists()


def run_by(user: User) -> QuerySet[Competition]:
    """The competitions that `user` may run: those for which `may_run` is true."""
    if user.has_perm(RUNS_ALL):
        return Competition.objects.all()
    return Competition.objects.filter(organizers__user=user.pk)


def with_tournaments_of(user: User) -> QuerySet[Competition]:
    """The competitions in which `user` may create tournaments."""
    return Competition.objects.all() if user.has_perm(CREATES_TOURNAMENTS) else run_by(user)
