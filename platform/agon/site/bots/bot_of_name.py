"""The bot that a program becomes a version of: the owner's bot of a name, or a new one."""

from collections.abc import Sequence
from enum import Enum

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.bots import naming
from agon.site.bots.models import Bot, Submission
from agon.site.bots.naming import BadName
from agon.site.bots.refusal import Refused
from agon.site.bots.states import FAILED, BotState
from agon.site.bots.taking_part import TakesPartAlready, check_owner
from agon.site.competitions.models import Competition


class NewBot(Enum):
    NEW = "new"


NEW = NewBot.NEW


def bot_of_name(
    owner: User, people: Sequence[User], competition: Competition, name: str, wanted: NewBot | None
) -> Bot:
    """The owner's bot of that name, created if there is none. The owner is locked (agon.site.teams.locking).

    people: who act for the owner. Raises Refused if another owner has the name, if a new bot is wanted and
    there is one, or if the owner may have no more.
    """
    bot = naming.find_by_name(competition, name)
    if bot is not None and bot.owner_id == owner.pk and wanted is NEW:
        free = naming.suggest_name(competition, name, owner)
        why = _("You already have a bot called %(bot)s. Choose another name for the new one.")
        raise Refused("name", why % {"bot": bot.name}, free)
    if bot is None:
        check_place(owner, competition)
        try:
            check_owner(competition, owner, people)
            naming.check_free(competition, name, owner)
            with transaction.atomic():
                return Bot.objects.create(owner=owner, competition=competition, name=name)
        except TakesPartAlready as error:
            raise Refused("", str(error)) from None
        except BadName as error:
            raise Refused("name", str(error), error.proposal) from None
        except IntegrityError:  # another upload created it
            bot = naming.find_by_name(competition, name)
    if bot is None or bot.owner_id != owner.pk:
        refused = naming.name_taken_error(
            bot.name if bot else name, naming.suggest_name(competition, name, owner)
        )
        raise Refused("name", str(refused), refused.proposal)
    check_place(owner, competition, bot)
    return bot


def check_place(owner: User, competition: Competition, bot: Bot | None = None) -> None:
    """Raise Refused if the owner has as many bots as are allowed. bot: that gets a version; None: a new one.

    Deleted bots do not count. Bots with only rejected versions are counted apart, with the same limit: one of
    them takes its place with the next version.
    """
    most = competition.bots_per_owner or settings.AGON_BOTS_PER_USER
    theirs = owner.bots.filter(competition=competition, house=False).exclude(state=BotState.DELETED)
    only_rejected = theirs.exclude(submissions__in=Submission.objects.exclude(state__in=FAILED))
    if bot is not None and not only_rejected.filter(pk=bot.pk).exists():
        return
    if theirs.count() - only_rejected.count() >= most:
        raise Refused(
            "name",
            _(
                "You have %(count)d bots in this competition, which is the maximum. Upload a "
                "new version of one of them."
            )
            % {"count": most},
        )
    if bot is None and only_rejected.count() >= settings.AGON_BOTS_PER_USER:
        raise Refused(
            "name",
            _(
                "%(count)d of your bots have only rejected versions. Upload a new version of "
                "one of them, or delete some."
            )
            % {"count": settings.AGON_BOTS_PER_USER},
        )
