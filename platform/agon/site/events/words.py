"""Events in words, in the language that is active: for the page of notices, e-mail and feeds."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from agon.site.audit.verbs import Verb
from agon.site.bots.models import Bot, Submission
from agon.site.competitions.models import Announcement
from agon.site.events.models import Event, Kind
from agon.site.teams.queries import people_of
from agon.site.tournaments.models import Tournament

# The kinds that concern an account, in the order of the form in which its owner chooses.
NAMES = {
    Kind.VERSION_ACTIVE: gettext_lazy("a version has qualified"),
    Kind.VERSION_REJECTED: gettext_lazy("a version was rejected"),
    Kind.BOT_FIRST_WIN: gettext_lazy("a bot has won its first match"),
    Kind.BOT_OVERTAKEN: gettext_lazy("a bot was overtaken"),
    Kind.CHALLENGE_OVER: gettext_lazy("a challenge of a bot is over"),
    Kind.BOT_STOPPED: gettext_lazy("a bot was stopped"),
    Kind.TOURNAMENT_ANNOUNCED: gettext_lazy("a tournament was announced"),
    Kind.TOURNAMENT_CANCELLED: gettext_lazy("a tournament was cancelled"),
    Kind.TOURNAMENT_STARTED: gettext_lazy("a tournament has started"),
    Kind.TOURNAMENT_FINISHED: gettext_lazy("a tournament is over"),
    Kind.TOURNAMENT_NOT_STARTED: gettext_lazy("a tournament you organize could not start"),
    Kind.ANNOUNCEMENT_MADE: gettext_lazy("organizers announced something"),
    Kind.WEBHOOK_OFF: gettext_lazy("a webhook was switched off"),
}
TEXTS = {
    Kind.VERSION_ACTIVE: gettext_noop("Version %(number)d of %(bot)s has qualified and plays."),
    Kind.VERSION_REJECTED: gettext_noop("Version %(number)d of %(bot)s was rejected."),
    Kind.TOURNAMENT_ANNOUNCED: gettext_noop("The tournament %(name)s was announced."),
    Kind.TOURNAMENT_CANCELLED: gettext_noop("The tournament %(name)s was cancelled."),
    Kind.TOURNAMENT_NOT_STARTED: gettext_noop(
        "The tournament %(name)s could not start at its time. Its log says why."
    ),
    Kind.TOURNAMENT_STARTED: gettext_noop("The tournament %(name)s has started."),
    Kind.TOURNAMENT_FINISHED: gettext_noop("The tournament %(name)s is over."),
    Kind.BOT_FIRST_WIN: gettext_noop("%(bot)s has won a rated match for the first time."),
    Kind.BOT_OVERTAKEN: gettext_noop("%(bot)s was overtaken."),
    Kind.BOT_STOPPED: gettext_noop("%(bot)s was stopped."),
    Kind.BOT_LEFT: gettext_noop("%(bot)s has left play."),
    Kind.BOT_RETURNED: gettext_noop("%(bot)s plays again."),
    Kind.BOT_RENAMED: gettext_noop("A bot is called %(bot)s now."),
}
# Of events that name another bot besides.
WITH_OTHER = {
    Kind.BOT_OVERTAKEN: gettext_noop("%(other)s has overtaken %(bot)s."),
    Kind.CHALLENGE_OVER: gettext_noop("A challenge of %(bot)s by %(other)s is over."),
}
OF_ACTS = {
    Verb.START: TEXTS[Kind.TOURNAMENT_STARTED],
    Verb.APPLY: gettext_noop("Results of the tournament %(name)s were corrected."),
}


class Described(NamedTuple):
    """An event in words. href: the page of what it concerns, which its readers may see."""

    event: Event
    text: str
    href: str


def describe(events: Sequence[Event], public: bool = False) -> list[Described]:
    """Those events that have words, and whose subject is still there. A few queries for all of them.

    public: for everyone, not for the accounts that the events concern.
    """
    versions = Submission.objects.select_related("bot").in_bulk(_ids(events, "submission"))
    owners = people_of({version.bot.owner_id for version in versions.values()})
    cups = Tournament.objects.in_bulk(_ids(events, "tournament"))
    bots = Bot.objects.in_bulk(_ids(events, "bot") | _ids(events, "by"))
    announcements = Announcement.objects.filter(withdrawn=None).select_related("competition")
    announced = announcements.in_bulk(_ids(events, "announcement"))
    result = []
    for event in events:
        if event.kind == Kind.WEBHOOK_OFF:
            words = _("The webhook to %(host)s was switched off, because nothing has arrived there.")
            result.append(Described(event, words % {"host": event.data["host"]}, reverse("webhooks")))
            continue
        concerned: Any = (
            versions.get(event.data.get("submission"))
            or cups.get(event.data.get("tournament"))
            or bots.get(event.data.get("bot"))
            or announced.get(event.data.get("announcement"))
        )
        text = _text(event, concerned, bots.get(event.data.get("by"))) if concerned is not None else ""
        if text:
            reader = None if public else event.account_id
            result.append(Described(event, text, _href(event, concerned, reader, owners)))
    return result


def _ids(events: Sequence[Event], name: str) -> set[int]:
    return {event.data[name] for event in events if name in event.data}


def _href(event: Event, concerned: Any, reader: int | None, owners: Mapping[int, set[int]]) -> str:
    """owners: who acts for each owner of a version, who alone may see its page."""
    if event.kind == Kind.CHALLENGE_OVER:
        return reverse("challenge", args=[event.data["challenge"]])
    if isinstance(concerned, Submission) and reader not in owners[concerned.bot.owner_id]:
        concerned = concerned.bot
    href: str = concerned.get_absolute_url()
    return href


def _text(event: Event, concerned: Any, by: Bot | None) -> str:
    """An empty one for other kinds."""
    kind = Kind(event.kind)
    if kind == Kind.ANNOUNCEMENT_MADE:
        return f"{concerned.competition.title}: {concerned.title}"
    if kind == Kind.TOURNAMENT_ACT:
        text = OF_ACTS.get(event.data["act"])
    else:
        text = (WITH_OTHER.get(kind) if by else None) or TEXTS.get(kind)
    name = concerned.bot.name if isinstance(concerned, Submission) else concerned.name
    facts = {"name": name, "bot": name, "number": getattr(concerned, "number", None)}
    return _(text) % (facts | {"other": by and by.name}) if text else ""
