"""What has been done in a team, in sentences: who did what, when."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.teams.models import Role, Team

WORDS: dict[str, Any] = {
    Verb.TEAM_CREATE: gettext_lazy("%(who)s created the team."),
    Verb.TEAM_INVITE: gettext_lazy("%(who)s made a link by which people join."),
    Verb.TEAM_REVOKE: gettext_lazy("%(who)s revoked the link by which people join."),
    Verb.TEAM_JOIN: gettext_lazy("%(who)s joined."),
    Verb.TEAM_LEAVE: gettext_lazy("%(who)s left."),
    Verb.TEAM_REMOVE: gettext_lazy("%(who)s removed %(whom)s."),
    Verb.TEAM_CLOSE: gettext_lazy("%(who)s closed the team."),
    Verb.UPLOAD: gettext_lazy("%(who)s uploaded version %(version)s of %(bot)s."),
    Verb.WITHDRAW_BOT: gettext_lazy("%(who)s withdrew %(bot)s."),
    Verb.REENTER: gettext_lazy("%(who)s let %(bot)s play again."),
    Verb.RENAME: gettext_lazy("%(who)s renamed %(from)s to %(bot)s."),
    Verb.DELETE: gettext_lazy("%(who)s deleted %(bot)s."),
    Verb.REMOVE: gettext_lazy("%(who)s removed version %(version)s of %(bot)s."),
    Verb.STOP: gettext_lazy("%(who)s stopped %(bot)s."),
    Verb.LET_PLAY: gettext_lazy("%(who)s let %(bot)s play again."),
}
CAPTAIN = gettext_lazy("%(who)s made %(whom)s captain.")
MEMBER = gettext_lazy("%(who)s made %(whom)s member.")
CAPTAIN_BY_ITSELF = gettext_lazy("%(whom)s became captain, because no other was left.")


class Described(NamedTuple):
    """An act in words."""

    at: datetime
    words: str


def acts_of(team: Team) -> QuerySet[Act]:
    """The acts, the latest first."""
    return Act.objects.filter(team=team).select_related("actor").order_by("-pk")


def describe(acts: Sequence[Act]) -> list[Described]:
    """The acts in words, in the same order."""
    people = User.objects.in_bulk({act.details["account"] for act in acts if "account" in act.details})
    return [Described(act.at, _words(act, people)) for act in acts]


def _words(act: Act, people: Mapping[int, User]) -> str:
    whom = people.get(act.details.get("account", 0))
    facts = {"version": "", "from": ""} | act.details
    facts |= {
        "who": _("The site") if act.actor is None else act.actor.shown_name,
        "whom": "" if whom is None else whom.shown_name,
        "bot": act.subject,
    }
    words: str = str(_pattern(act)) % facts
    return words


def _pattern(act: Act) -> Any:
    if act.verb != Verb.TEAM_ROLE:
        return WORDS[act.verb]
    if act.actor is None:
        return CAPTAIN_BY_ITSELF
    return CAPTAIN if act.details["role"] == Role.CAPTAIN else MEMBER
