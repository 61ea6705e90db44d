"""Owners enter their bots into a draft whose sources will be opened, and take them back before it starts.

No one else can: a tournament in which a bot plays publishes its program. An administrator may enter the bot
of another person, for a reason that the tournament's log shows.
"""

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.audit.verbs import Verb
from agon.site.bots.access import ADMINISTRATOR
from agon.site.bots.models import Bot
from agon.site.teams.queries import acts_for
from agon.site.tournaments.models import Entrant, Tournament
from agon.site.tournaments.services import BadTournament, check_reason, record
from agon.site.tournaments.states import State


@transaction.atomic
def enter(tournament: Tournament, bot: Bot, by: User, why: str = "") -> None:
    """Make the bot the last entrant. Raises BadTournament."""
    current = _locked(tournament)
    _check_may_enter(bot, by, why)
    if bot.competition_id != current.competition_id or bot.active_id is None:
        raise BadTournament("bots", _("%(bot)s has no active submission.") % {"bot": bot.name})
    if current.entrants.filter(bot=bot).exists():
        raise BadTournament("bots", _("A bot can enter a tournament only once."))
    last: int | None = current.entrants.aggregate(last=Max("number"))["last"]
    Entrant.objects.create(tournament=current, bot=bot, number=0 if last is None else last + 1)
    record(Verb.ENTER, current, by, why, bot.name)


@transaction.atomic
def leave(tournament: Tournament, bot: Bot, by: User, why: str = "") -> None:
    """Take the entry back; later entrants move up. Raises BadTournament."""
    current = _locked(tournament)
    _check_may_enter(bot, by, why)
    gone = current.entrants.filter(bot=bot).first()
    if gone is None:
        raise BadTournament("bots", _("There is no such entrant."))
    later = list(current.entrants.filter(number__gt=gone.number))
    gone.delete()
    for entrant in later:  # in this order no two have the same number
        entrant.number -= 1
        entrant.save(update_fields=["number"])
    record(Verb.LEAVE, current, by, why, bot.name)


def may_enter_others(user: User) -> bool:
    """Whether `user` may enter bots of other people, for a reason."""
    return user.has_perm(ADMINISTRATOR)


def _check_may_enter(bot: Bot, by: User, why: str) -> None:
    check_reason(why)
    if acts_for(by, bot.owner_id):
        return
    if not may_enter_others(by):
        raise BadTournament("bots", _("Where sources are opened, owners enter their bots themselves."))
    check_reason(why, is_required=True)


def _locked(tournament: Tournament) -> Tournament:
    current = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if current.state != State.DRAFT:
        raise BadTournament("", _("Bots enter before the tournament starts."))
    return current
