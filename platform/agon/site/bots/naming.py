"""What a bot may be called, and which bot a name belongs to.

A name belongs to one bot of a competition, in all its spellings (agon.site.core.db.name_keys). The name of a
bot that competed and was deleted or renamed is reserved for its former owner for RESERVED, so that no other
bot is mistaken for it. Matches and tournaments keep the names under which they were played.
"""

import re
import unicodedata
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, FormerName
from agon.site.bots.states import BotState
from agon.site.competitions.models import Competition
from agon.site.core.db.name_keys import has_invisible, name_key, skeletons_of

NAME = re.compile(r"\w[\w .+'-]{0,38}[\w.+'-]|\w")
RESERVED = timedelta(days=30)
MOST_RESERVED_NAMES = 5  # former names of an owner's renamed bots that are reserved in a competition
LONGEST = 40  # characters


class BadName(Exception):
    """A name that a bot cannot have; str(e) says why, in the reader's language.

    proposal: a name like it that is free, or "".
    """

    def __init__(self, why: str, proposal: str = "") -> None:
        super().__init__(why)
        self.proposal = proposal


def normalize_name(name: str) -> str:
    """The name, normalized. Raises BadName."""
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if not NAME.fullmatch(name):
        raise BadName(
            _(
                "A bot name has 1 to 40 letters, digits, spaces, or . _ + ' - and starts with a "
                "letter or digit."
            )
        )
    return name


def find_by_name(competition: Competition, name: str) -> Bot | None:
    """The bot that has this name now."""
    named = Bot.objects.filter(competition=competition, name_key=name_key(name))
    return named.exclude(state=BotState.DELETED).first()


def check_free(competition: Competition, name: str, owner: User, bot: Bot | None = None) -> None:
    """Check that a bot of `owner` (`bot`, or a new one) may have this name. Raises BadName.

    It must be easy to distinguish from those of others.
    """
    if has_invisible(name):
        raise BadName(_("A name cannot contain invisible characters."))
    other = find_by_name(competition, name)
    if other is not None and (bot is None or other.pk != bot.pk):
        raise name_taken_error(other.name, suggest_name(competition, name, owner))
    _check_not_reserved(competition, name, owner)
    alike = _alike(competition, name, owner)
    if alike is not None:
        raise BadName(
            _("This name is too similar to %(name)s, which is taken in this competition. Choose another.")
            % {"name": alike.name}
        )


def give_up(bot: Bot) -> None:
    """Reserve the name that a bot is about to lose, if it has competed: MOST_RESERVED_NAMES for an owner."""
    if bot.submissions.filter(activated__isnull=False).exists():
        theirs = FormerName.objects.filter(competition=bot.competition, owner=bot.owner)
        theirs.exclude(
            pk__in=list(theirs.order_by("-pk").values_list("pk", flat=True)[: MOST_RESERVED_NAMES - 1])
        ).delete()
        theirs.create(competition=bot.competition, owner=bot.owner, name_key=name_key(bot.name))


def _check_not_reserved(competition: Competition, name: str, owner: User) -> None:
    """Raises BadName if a bot of another owner had the name until recently."""
    named = {"competition": competition, "name_key": name_key(name)}
    since = timezone.now() - RESERVED
    deleted = Bot.objects.filter(
        **named, state=BotState.DELETED, changed__gt=since, submissions__activated__isnull=False
    )
    if deleted.exclude(owner=owner).exists():
        raise BadName(
            _("The name %(name)s belonged to a bot that was deleted less than %(days)d days ago.")
            % {"name": name, "days": RESERVED.days}
        )
    if FormerName.objects.filter(**named, given_up__gt=since).exclude(owner=owner).exists():
        raise BadName(
            _("The name %(name)s belonged to a bot that was renamed less than %(days)d days ago.")
            % {"name": name, "days": RESERVED.days}
        )


def _alike(competition: Competition, name: str, owner: User) -> Bot | None:
    """A bot of another owner, or of the house, whose name is easily confused with this one."""
    skeletons = skeletons_of(name)
    others = Bot.objects.filter(competition=competition).exclude(owner=owner).exclude(state=BotState.DELETED)
    return others.filter(Q(skeleton_folded=skeletons.folded) | Q(skeleton_written=skeletons.written)).first()


def name_taken_error(name: str, proposal: str = "") -> BadName:
    """The error for a name that another bot has. proposal: a name like it that is free, or ""."""
    if not proposal:
        why = _("The name %(name)s is taken in this competition. Choose another.")
        return BadName(why % {"name": name})
    why = _("The name %(name)s is taken in this competition. %(free)s is free.")
    return BadName(why % {"name": name, "free": proposal}, proposal)


def suggest_name(competition: Competition, name: str, owner: User) -> str:
    """The name with the owner's, or else with a number; "" if none of these is free."""
    for ending in (owner.username, *range(2, 20)):
        free = f"{name[: LONGEST - 1 - len(str(ending))]} {ending}"
        if NAME.fullmatch(free) and not _is_held(competition, free, owner):
            return free
    return ""


def proposed(competition: Competition, owner: User) -> str:
    """A free name for an author's first bot here, like their own; "" if they have a bot, or none is free."""
    if Bot.objects.filter(competition=competition, owner=owner).exclude(state=BotState.DELETED).exists():
        return ""
    name = owner.username[:LONGEST]
    if NAME.fullmatch(name) and not _is_held(competition, name, owner):
        return name
    return suggest_name(competition, "Bot", owner)


def _is_held(competition: Competition, name: str, owner: User) -> bool:
    """Whether a bot has, or recently had, this name or one that looks like it."""
    named = {"competition": competition, "name_key": name_key(name)}
    had = Bot.objects.filter(**named).exists() or FormerName.objects.filter(**named).exists()
    return had or has_invisible(name) or _alike(competition, name, owner) is not None
