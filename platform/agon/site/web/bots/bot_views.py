"""The page of a bot: its versions, its place, why it loses, and its latest matches."""

from itertools import pairwise

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agon.site.accounts.models import User
from agon.site.bots import access, at_home, reasons
from agon.site.bots.access import get_bot, may_see_private, may_see_source
from agon.site.bots.models import Bot, Submission
from agon.site.bots.mottos import mottos
from agon.site.bots.states import COMPETED, PENDING, BotState
from agon.site.challenges import queries as challenges
from agon.site.challenges.services import challenged, challengers
from agon.site.competitions.visibility import Audience, Subject
from agon.site.leaderboards import ladder, table
from agon.site.leaderboards.models import Rated
from agon.site.matches import first_wins, usage
from agon.site.matches.models import Match, Seat
from agon.site.matches.secret_names import without_secret
from agon.site.teams.queries import acts_for, team_of
from agon.site.tournaments.match_access import visible
from agon.site.use_cases.insight import insight, is_at_hand
from agon.site.use_cases.void_rule import LATEST_MATCHES, counted
from agon.site.web.leaderboards.insight_words import Version, matches_to_watch, names_of, weaknesses
from agon.site.web.leaderboards.pictures import rating_curve
from agon.statistics import voids as rule

RECENT = 12  # matches on the page
CHALLENGES = 5  # on the page
EVIDENCE = 50  # void matches on the page of a stopped bot
SEATS = "seats__faults"  # what a table of matches shows besides each match


@require_safe
def bot(request: HttpRequest, pk: int) -> HttpResponse:
    """The page. Unless what the bot loses by was computed a moment ago, the open page fetches `?part=why`."""
    bot = get_bot(request.user, pk)
    versions = list(counted(bot.submissions.select_related("author", "rated__rating").order_by("-number")))
    private = any(may_see_private(request.user, version) for version in versions[:1])
    if not private:
        versions = [version for version in versions if version.state in COMPETED]
    if bot.home:
        versions = []  # the one that it has stands for no program
    rated = [version for version in versions if version.state in COMPETED and hasattr(version, "rated")]
    if request.GET.get("part") == "why":
        return render(request, "bots/why.html", _why(bot, rated[0]) if rated else {})
    row = table.row_of(versions)
    context = {
        "bot": bot,
        "line": bot.line if bot.home else None,
        "is_connected": bot.home and at_home.is_connected(bot.line),
        "competition": bot.competition,
        "versions": _with_gains(versions),
        "newest": next(iter(versions), None),
        "pending": PENDING,
        "private": private,
        "open_sources": _open_sources(bot, request.user, [] if private else versions),
        "own": acts_for(request.user, bot.owner_id),
        "awaits_first_win": first_wins.is_awaited(bot, request.user),
        "of_team": not bot.house and team_of(bot.owner_id) is not None,
        "motto": mottos(bot.competition.game).get(bot.name, "") if bot.house else "",
        "acts": access.acts(request.user, bot),
        "row": row,
        "rests": "" if row is None else ladder.rest(bot.competition, row),
        "shares_rating": row is not None and _shares_rating(row),
        **_above(bot, row),
        **_stop(bot),
        "is_rated": bool(rated),
        "curve": rating_curve(bot, rated) if rated else "",
        **(_why(bot, rated[0]) if rated and is_at_hand(rated[0]) else {}),
        "may_challenge": _may_challenge(request, bot),
        "challenges_others": _may_challenge_others(request, bot),
        "challenges": list(challenges.of_bot(bot)[:CHALLENGES]),
        "wait": usage.wait_of(bot) if bot.competition.is_open else None,
        "matches": list(
            _of_bot(bot, request.user if private else AnonymousUser()).prefetch_related(SEATS)[:RECENT]
        ),
    }
    return render(request, "bots/bot.html", context)


def _may_challenge(request: HttpRequest, bot: Bot) -> bool:
    """Whether the reader has another bot here that may challenge this one."""
    if not _plays(bot) or not request.user.is_authenticated:
        return False
    if not challenged(request.user, bot.competition).filter(pk=bot.pk).exists():
        return False
    return any(challenger.pk != bot.pk for challenger in challengers(request.user, bot.competition))


def _may_challenge_others(request: HttpRequest, bot: Bot) -> bool:
    """Whether this is a bot of the reader that may challenge others."""
    return (
        access.owns(request.user, bot)
        and _plays(bot)
        and bot.competition.is_open
        and bot.competition.info.max_seats > 1
    )


def _plays(bot: Bot) -> bool:
    return bot.state == BotState.ENTERED and (bot.home or bot.active_id is not None)


def _with_gains(versions: list[Submission]) -> list[tuple[Submission, int | None]]:
    """Each version, the newest first, and how many points it gained on the last rated one before it."""
    rated = [version for version in versions if hasattr(version, "rated") and version.rated.rating.played]
    gains = {
        newer.pk: round(newer.rated.rating.rating) - round(older.rated.rating.rating)
        for newer, older in pairwise(rated)
    }
    return [(version, gains.get(version.pk)) for version in versions]


def _why(bot: Bot, submission: Submission) -> dict[str, object]:
    """What this version, which has a rating, loses by."""
    version = Version(submission, insight(submission))
    return {
        "bot": bot,
        "insight": version.insight,
        "weaknesses": weaknesses(version, names_of([version])),
        "watch": matches_to_watch(version),
    }


def _shares_rating(row: table.Row) -> bool:
    """Whether other versions with the same program are counted with this one."""
    others = Rated.objects.exclude(submission=row.submission_id)
    return others.filter(rating__rated__submission=row.submission_id).exists()


def _above(bot: Bot, row: table.Row | None) -> dict[str, object]:
    """Whom to overtake next, and by how many points it is better."""
    above = table.above(bot.competition, row) if row and row.known else None
    return {"above": above, "gap": above.points - row.points} if above and row else {}


def _open_sources(bot: Bot, reader: User | AnonymousUser, versions: list[Submission]) -> set[int]:
    """The versions whose programs the reader may see, although they are not theirs."""
    if bot.competition.shown_to(Subject.SOURCES) is not Audience.EVERYONE:
        return set()
    return {version.pk for version in versions if version.source and may_see_source(reader, version)}


def _stop(bot: Bot) -> dict[str, object]:
    """The rule by which a bot was stopped, and the matches that are the evidence."""
    if bot.state != BotState.STOPPED or bot.reason.code != reasons.VOIDS:
        return {}
    evidence = visible(AnonymousUser()).filter(pk__in=bot.reason.matches[:EVIDENCE])
    shown = list(evidence.prefetch_related(SEATS).order_by("-pk"))
    return {"evidence": shown, "rule": rule, "latest": LATEST_MATCHES}


def _of_bot(bot: Bot, reader: User | AnonymousUser) -> QuerySet[Match]:
    """The matches of a bot, without comparisons, withdrawn ones and those in which it is secret who plays.

    Those of challenges would crowd out the others, unless it plays at home and has no others; the page lists
    challenges apart.
    """
    # Of its competition: else the latest matches of a bot that plays seldom are sought among those of all.
    released = visible(reader).filter(comparison=None, competition=bot.competition_id)
    theirs = Seat.objects.filter(submission__bot=bot).values("match")
    played = without_secret(released.filter(pk__in=theirs))
    shown = played.exclude(state=Match.State.WITHDRAWN)
    left_out = Q(state=Match.State.QUEUED) if bot.home else Q(kind=Match.Kind.CHALLENGE)
    return shown.exclude(left_out).order_by("-pk")
