"""For whom a person uploads: themselves, or one of their teams."""

from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.bots import naming
from agon.site.bots.refusal import Refused
from agon.site.competitions.models import Competition
from agon.site.core.db.name_keys import name_key
from agon.site.teams.queries import acts_for, teams_of


def owner_of(user: User, competition: Competition, name: str, team: str = "") -> User:
    """The owner of the bot that an upload of this name is for. Raises Refused.

    A bot of the user or of a team of theirs keeps its owner. A new one is for the team of that name, or else
    for the user.
    """
    chosen = _team(user, team)
    bot = naming.find_by_name(competition, name)
    if chosen is None and bot is not None and acts_for(user, bot.owner_id):
        return bot.owner
    return chosen or user


def _team(user: User, name: str) -> User | None:
    if not name:
        return None
    for team in teams_of(user):
        if team.account.name_key == name_key(name):
            return team.account
    raise Refused("team", _("You are in no team called %(team)s.") % {"team": name})
