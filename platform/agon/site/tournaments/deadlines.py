"""Starts drafts at their announced times, with the bots that were chosen or that are active then."""

from django.db import transaction
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.bots.models import Bot
from agon.site.core.db.transitions import IllegalTransition
from agon.site.core.isolation import for_each_isolated
from agon.site.tournaments import services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.order import by_rating
from agon.site.tournaments.services import BadTournament
from agon.site.tournaments.states import State


def tick() -> None:
    """Start every tournament that is due.

    One that cannot be started stays a draft without a time, and the audit log says why.
    """
    due = Tournament.objects.filter(state=State.DRAFT, starts_at__lte=timezone.now())
    for_each_isolated(due, start)


def start(tournament: Tournament) -> bool:
    """Start a tournament that is due; False if it could not be started."""
    try:
        start_now(tournament)
    except IllegalTransition:
        return False  # someone else has started or cancelled it
    except BadTournament as bad:
        _give_up(tournament, str(bad))
        return False
    return True


@transaction.atomic
def start_now(tournament: Tournament, by: User | None = None, why: str = "") -> None:
    """Start a draft now, whatever its announced time, with the chosen bots or those that are active now.

    Raises BadTournament, IllegalTransition.
    """
    current = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    if current.state == State.DRAFT and current.field != Tournament.Field.CHOSEN:
        services.enter(tournament, field_of(tournament))
    services.start(tournament, by, why)


def field_of(tournament: Tournament) -> list[Bot]:
    """All bots that would enter now, the best-rated first."""
    active = tournament.competition.bots.filter(active__isnull=False).order_by("pk")
    if tournament.field == Tournament.Field.PEOPLE:
        active = active.filter(house=False)
    return by_rating(tournament.competition, list(active))


@transaction.atomic
def _give_up(tournament: Tournament, why: str) -> None:
    current = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    if current.state == State.DRAFT and current.starts_at is not None:
        current.starts_at = None
        current.save(update_fields=["starts_at"])
        acts.record(Verb.NOT_STARTED, None, current.competition, current, subject=current.name, reason=why)
