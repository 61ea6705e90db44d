"""Which changes become events, and whose.

Changes of state are observed where all of them are made (agon.site.core.db.transitions), acts of people where
all of them are recorded (agon.site.audit.acts). An event is added in the same transaction: neither is there
without the other.
"""

from collections.abc import Sequence
from typing import Any

from django.db.models.signals import post_save

from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.bots import states as bot_states
from agon.site.bots.access import failed
from agon.site.bots.models import Bot, Submission
from agon.site.challenges.models import Challenge
from agon.site.competitions.models import Announcement
from agon.site.core.db.transitions import Transition, observe
from agon.site.events.announced import announcement_saved
from agon.site.events.challenged import challenge_moved
from agon.site.events.feed import add, add_for_each
from agon.site.events.following import notify_followers
from agon.site.events.models import Event, Kind
from agon.site.leaderboards import first_wins
from agon.site.leaderboards.models import Leaderboard
from agon.site.matches.models import Match
from agon.site.teams.queries import people_of
from agon.site.tournaments import states as tournament_states
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.rights import may_organize

OF_VERSIONS = {
    bot_states.ACTIVATE: Kind.VERSION_ACTIVE,
    bot_states.REJECT: Kind.VERSION_REJECTED,
}
OF_BOTS = {
    bot_states.WITHDRAW: Kind.BOT_LEFT,
    bot_states.DELETE: Kind.BOT_LEFT,
    bot_states.STOP: Kind.BOT_STOPPED,
    bot_states.REENTER: Kind.BOT_RETURNED,
    bot_states.RELEASE: Kind.BOT_RETURNED,
}
OF_TOURNAMENTS = {
    tournament_states.START: Kind.TOURNAMENT_STARTED,
    tournament_states.FINISH: Kind.TOURNAMENT_FINISHED,
    tournament_states.CANCEL: Kind.TOURNAMENT_CANCELLED,
}


def register() -> None:
    """Called once, when Django starts."""
    observe(Submission, submission_moved)
    observe(Bot, bot_moved)
    observe(Tournament, tournament_moved)
    observe(Challenge, challenge_moved)
    post_save.connect(announcement_saved, Announcement, dispatch_uid="events")
    post_save.connect(_act_recorded, Act, dispatch_uid="events")
    post_save.connect(_tournament_saved, Tournament, dispatch_uid="events")
    post_save.connect(_bot_saved, Bot, dispatch_uid="events")
    post_save.connect(_leaderboard_saved, Leaderboard, dispatch_uid="events")


def submission_moved(version: Submission, transition: Transition) -> None:
    """A version that qualified is everyone's news, one that was rejected its owner's."""
    kind = OF_VERSIONS.get(transition)
    if kind is None or version.bot.house:
        return
    bot = version.bot
    competition = bot.competition_id if kind == Kind.VERSION_ACTIVE else None
    facts = {"bot": bot.pk, "submission": version.pk, "version": version.number}
    add(kind, competition, bot.owner_id, **facts)
    if kind == Kind.VERSION_ACTIVE:
        notify_followers(kind, bot, bot.owner_id, **facts)


def bot_moved(bot: Bot, transition: Transition) -> None:
    kind = OF_BOTS[transition]
    owner = bot.owner_id if kind == Kind.BOT_STOPPED else None  # the rest its owner has done
    competition = None if _is_failed(bot) else bot.competition_id
    if competition or owner:
        add(kind, competition, owner, bot=bot.pk)


def _is_failed(bot: Bot) -> bool:
    """Whether it is no news for the readers of the competition."""
    return Bot.objects.filter(failed(), pk=bot.pk).exists()


def tournament_moved(tournament: Tournament, transition: Transition) -> None:
    """Its start and end are news for the owners of its entrants, whether or not the results are released."""
    kind = OF_TOURNAMENTS.get(transition)
    is_public = tournament.started is not None or _is_announced(tournament)
    if kind is None or not is_public:
        return
    facts = {"tournament": tournament.pk}
    if kind != Kind.TOURNAMENT_STARTED:  # to the competition's readers the act says it
        add(kind, tournament.competition_id, None, **facts)
    owners = set(tournament.entrants.filter(bot__house=False).values_list("bot__owner", flat=True))
    for person in sorted(set().union(*people_of(owners).values())):
        add(kind, None, person, **facts)
    notify_followers(kind, tournament.competition, owners, **facts)


def _tournament_saved(instance: Tournament, created: bool, **_more: Any) -> None:
    if created and _is_announced(instance):
        _announce(instance)


def _is_announced(tournament: Tournament) -> bool:
    """Whether it is public before it starts (agon.site.tournaments.rights.visible)."""
    return tournament.sources_open or tournament.field != Tournament.Field.CHOSEN


def _announce(tournament: Tournament) -> None:
    """It is news once, however often its organizer changes who enters."""
    kind, facts = Kind.TOURNAMENT_ANNOUNCED, {"tournament": tournament.pk}
    if not Event.objects.filter(kind=kind, competition=tournament.competition_id, data=facts).exists():
        add(kind, tournament.competition_id, None, **facts)
        notify_followers(kind, tournament.competition, set(), **facts)


def matches_finished(matches: Sequence[Match], maybe_first_wins: Sequence[Match]) -> None:
    """Rated matches with a result. Those of tournaments are seen after their release, which is an act."""
    by_competition: dict[int, list[int]] = {}
    for match in matches:
        by_competition.setdefault(match.competition_id, []).append(match.pk)
    for competition, numbers in by_competition.items():
        add(Kind.MATCHES_FINISHED, competition, None, matches=numbers)
    for seat in first_wins.among(maybe_first_wins, matches):
        bot = seat.submission.bot
        add(Kind.BOT_FIRST_WIN, None, bot.owner_id, bot=bot.pk, match=seat.match_id)
        notify_followers(Kind.BOT_FIRST_WIN, bot, bot.owner_id, bot=bot.pk, match=seat.match_id)


def _leaderboard_saved(instance: Leaderboard, update_fields: frozenset[str] | None, **_more: Any) -> None:
    """A fit has changed ratings. What single results change is reported by `matches_finished`."""
    if update_fields and "version" in update_fields:
        add(Kind.LEADERBOARD_CHANGED, instance.competition_id, None, version=instance.version)


def _bot_saved(instance: Bot, update_fields: frozenset[str] | None, **_more: Any) -> None:
    if update_fields and "name" in update_fields and not _is_failed(instance):
        add(Kind.BOT_RENAMED, instance.competition_id, None, bot=instance.pk)


def _act_recorded(instance: Act, created: bool, **_more: Any) -> None:
    """Acts on a tournament are public once it was started. An edit can be what announces it."""
    tournament: Tournament | None = instance.tournament
    if not created or tournament is None:
        return
    if instance.verb == Verb.EDIT and "field" in instance.details["changed"] and _is_announced(tournament):
        _announce(tournament)
    if instance.verb == Verb.NOT_STARTED:
        add_for_each(Kind.TOURNAMENT_NOT_STARTED, _organizers(tournament), tournament=tournament.pk)
    if tournament.started is not None:
        facts = {"tournament": tournament.pk, "act": instance.verb, "number": instance.pk}
        add(Kind.TOURNAMENT_ACT, instance.competition_id, None, **facts)


def _organizers(tournament: Tournament) -> set[int]:
    """Those who run the competition, and who made the tournament. Organizers of the site are too many."""
    of_competition = tournament.competition.organizers.select_related("user")
    people = [tournament.organizer, *(organizer.user for organizer in of_competition)]
    return {person.pk for person in people if may_organize(person, tournament)}
