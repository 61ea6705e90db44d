"""Starts drafts at their announced times, with the bots that were chosen or that are active then.

Times are the database's: several machines may look for what is due.
"""

from django.db import transaction
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.audit.acts import LONGEST_REASON
from agon.site.audit.verbs import Verb
from agon.site.bots.models import Bot
from agon.site.core.db.deadlocks import repeated_after_deadlock
from agon.site.core.db.leases import now
from agon.site.core.isolation import for_each_isolated
from agon.site.tournaments import services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.order import by_rating
from agon.site.tournaments.services import BadTournament
from agon.site.tournaments.states import State


def tick() -> None:
    """Start every tournament that is due, once its game works.

    One that cannot be started stays a draft without a time, and the audit log says why.
    """
    due = Tournament.objects.filter(state=State.DRAFT, starts_at__lte=now())
    due = due.select_related("competition")
    for_each_isolated([draft for draft in due if not draft.competition.suspended], start)


@transaction.atomic
def start(tournament: Tournament) -> bool:
    """Start a tournament that is due; False if it is not, for it was put off, or if it could not be started.

    A bot that was chosen and has left play is left out, which the log says: no owner can keep the others from
    playing.
    """
    current = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    if current.state != State.DRAFT or current.starts_at is None or current.starts_at > now():
        return False
    try:
        start_now(current)
    except BadTournament as bad:
        _give_up(current, str(bad))
        return False
    return True


@repeated_after_deadlock
@transaction.atomic
def start_now(tournament: Tournament, by: User | None = None, why: str = "") -> None:
    """Start a draft now, whatever its announced time, with the chosen bots or those that are active now.

    by: if given, a chosen bot that has left play is an error, unless its owner entered it. Raises
    BadTournament, IllegalTransition.
    """
    current = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    if current.state == State.DRAFT:
        if current.field != Tournament.Field.CHOSEN:
            services.enter(tournament, field_of(current))
        if by is None or current.sources_open or current.field != Tournament.Field.CHOSEN:
            reasons = [why, _leave_out_the_gone(current)]
            if by is None:
                reasons += [*_fit_settings(current), _lower_rounds(current)]
            why = " ".join(filter(None, reasons))[:LONGEST_REASON]
    services.start(tournament, by, why)


def _leave_out_the_gone(tournament: Tournament) -> str:
    """Take entrants off a draft whose bots do not play; which, as a reason for the log."""
    services.lock_bots(tournament)
    bots = [entrant.bot for entrant in tournament.entrants.select_related("bot")]
    gone = [bot.name for bot in bots if bot.active_id is None]
    if not gone:
        return ""
    services.enter(tournament, [bot for bot in bots if bot.active_id is not None])
    return _("Left play before the start: %(bots)s.") % {"bots": ", ".join(gone)}


def _fit_settings(tournament: Tournament) -> list[str]:
    """Let a draft have settings that its entrants can play by; which are others, as reasons for the log."""
    wanted, bots = tournament.format_settings, tournament.entrants.count()
    fitted = services.fitted_settings(tournament, bots)
    tournament.format_settings = dict(fitted)
    tournament.save(update_fields=["format_settings"])
    words = _("%(setting)s: %(value)s instead of %(wanted)s, for %(bots)d bots.")
    titles = {setting.name: _(setting.title) for setting in tournament.chosen_format.settings}
    return [
        words % {"setting": titles[name], "value": value, "wanted": wanted[name], "bots": bots}
        for name, value in fitted.items()
        if value != wanted[name]
    ]


def _lower_rounds(tournament: Tournament) -> str:
    """Let a draft have no more rounds than its entrants can play; how many, as a reason for the log."""
    wanted = tournament.rounds
    rounds = services.most_rounds(tournament)
    if tournament.rounds_by_field or rounds == wanted:
        return ""
    tournament.rounds = rounds
    tournament.save(update_fields=["rounds"])
    words = _("Rounds: %(rounds)d instead of %(wanted)d, as many as %(bots)d bots can play.")
    return words % {"rounds": rounds, "wanted": wanted, "bots": tournament.entrants.count()}


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
        services.record(Verb.NOT_STARTED, current, None, why)
