"""For which owners a person takes part in a competition: alone, or in which teams.

A competition may be for people alone, or for people and teams such that no person is in it twice. A bot
counts from its first version on until it is withdrawn or deleted; one that is stopped counts, for an
administrator may let it play again. It is looked at when a bot is made, when one is entered again, and when a
person joins a team; the caller has locked the people (agon.site.teams.locking).
"""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.bots.states import BotState
from agon.site.competitions.models import Competition
from agon.site.teams import queries
from agon.site.teams.models import Team

COUNTED = (BotState.ENTERED, BotState.STOPPED)


class TakesPartAlready(Exception):
    """A person would be in a competition twice, or a team where there are none; str(e) says why."""


def check_owner(competition: Competition, owner: User, people: Iterable[User]) -> None:
    """Check that `owner`, for whom `people` act, may have a bot here. Raises TakesPartAlready."""
    if competition.teams == Competition.Teams.ANY:
        return
    team = queries.team_of(owner.pk)
    if competition.teams == Competition.Teams.NONE:
        if team is not None:
            raise TakesPartAlready(
                _("%(title)s is for people alone, not for teams.") % {"title": competition}
            )
        return
    for person in people:
        bot = _bot_elsewhere(competition, person, owner.pk)
        if bot is not None:
            raise TakesPartAlready(_words(bot, person if team else None))


def check_joining(team: Team, person: User) -> None:
    """Check that a person has no bot of another owner where the team has one. Raises TakesPartAlready."""
    theirs = Bot.objects.filter(owner=team.account_id, state__in=COUNTED)
    of_one_team = Competition.objects.filter(teams=Competition.Teams.ONE, pk__in=theirs.values("competition"))
    for competition in of_one_team:
        bot = _bot_elsewhere(competition, person, team.account_id)
        if bot is not None:
            raise TakesPartAlready(_words(bot, None))


def _bot_elsewhere(competition: Competition, person: User, owner: int) -> Bot | None:
    """A bot by which a person takes part for another owner."""
    teams = queries.active().filter(user=person).exclude(team__account=owner).values_list("team__account")
    others = {account for (account,) in teams} | ({person.pk} - {owner})
    bots = competition.bots.filter(owner__in=others, house=False, state__in=COUNTED)
    return bots.select_related("owner", "competition").order_by("pk").first()


def _words(bot: Bot, person: User | None) -> str:
    """person: who takes part with that bot; None: the reader."""
    facts = {"bot": bot.name, "owner": bot.owner.username, "title": bot.competition.title}
    if person is None:
        words = _("You take part in %(title)s already, with %(bot)s of %(owner)s. One may only do so once.")
        return words % facts
    words = _(
        "%(person)s takes part in %(title)s already, with %(bot)s of %(owner)s. One may only do so once."
    )
    return words % (facts | {"person": person.username})
