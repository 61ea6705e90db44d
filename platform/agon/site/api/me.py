"""The account of the token: its bots, and how much of its limits it has used."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import timezone
from ninja import Router
from pydantic import Field

from agon.site.accounts import profiles
from agon.site.accounts.models import LONGEST_ABOUT, User
from agon.site.api import cursors, limits
from agon.site.api.access import READ, SUBMIT, check_whole_account, of_token
from agon.site.api.bots import BotItemShape, item_shape
from agon.site.api.cursors import USUAL, Limit
from agon.site.api.shapes import Page, Shape, link
from agon.site.bots import access
from agon.site.bots.limits import HOUR, of_person
from agon.site.bots.models import Submission
from agon.site.bots.quota import used
from agon.site.bots.states import PENDING, BotState
from agon.site.challenges.models import Challenge
from agon.site.challenges.services import AT_ONCE
from agon.site.challenges.states import State
from agon.site.matches.usage import PART_FOR_CHALLENGES, current_usage
from agon.site.teams.models import Role, Team
from agon.site.teams.queries import roles, teams_of
from agon.site.tokens.models import Token
from agon.site.tournaments.rights import may_organize
from agon.site.trials import services as trials
from agon.site.trials.visitors import visitor_of

router = Router(tags=["me"], auth=READ)


class TokenShape(Shape):
    name: str
    scopes: list[str]
    competition: str | None = Field(description="The only one that it is good for; null for all.")
    expires: datetime | None


class TeamShape(Shape):
    """A team that you are in."""

    name: str
    role: str = Field(description=", ".join(Role.values))
    url: str


class MeShape(Shape):
    """about: what everyone can read on your page."""

    name: str
    about: str
    token: TokenShape
    may_organize: bool
    teams: list[TeamShape]
    url: str


class Profile(Shape):
    about: str = Field(
        max_length=LONGEST_ABOUT, description="A few lines of plain text. Addresses in it become links."
    )


class LimitShape(Shape):
    """used of most, in `unit`. seconds: of the window that it is counted in; null if it is not about time."""

    name: str
    used: float
    most: float
    unit: str
    seconds: int | None


@router.get("", response=MeShape)
def me(request: Any) -> dict[str, Any]:
    """Whose token this is, and what it may do."""
    token: Token = request.token
    return {
        "name": request.user.username,
        "about": request.user.about,
        "token": TokenShape.from_row(
            token, competition=token.competition.slug if token.competition else None
        ),
        "may_organize": may_organize(request.user),
        "teams": [_team(request.user, team) for team in teams_of(request.user)],
        "url": link(request.user.get_absolute_url()),
    }


@router.patch("", auth=SUBMIT, response=MeShape)
def change(request: Any, profile: Profile) -> dict[str, Any]:
    """Change what you say on your page."""
    check_whole_account(request)
    profiles.save(request.user, profiles.validated(profile.about))
    return me(request)


def _team(user: User, team: Team) -> dict[str, str]:
    role = roles(user)[team.account_id]
    return {"name": team.account.username, "role": role, "url": link(team.get_absolute_url())}


@router.get("/bots", response=Page[BotItemShape])
def own_bots(request: Any, cursor: str | None = None, limit: Limit = USUAL) -> dict[str, Any]:
    """Your bots and those of your teams, the newest first; without deleted ones."""
    bots = (
        of_token(request, access.own_bots(request.user))
        .exclude(state=BotState.DELETED)
        .select_related("owner", "competition")
    )
    return cursors.newest_first("me-bots", bots, cursor, limit, item_shape)


@router.get("/quota", response=list[LimitShape])
def quota(request: Any) -> list[dict[str, Any]]:
    """Your limits: the same numbers that refuse requests."""
    return [*_requests(request), *_uploads(request.user), *_challenges(request.user), *_trials(request)]


def _requests(request: Any) -> list[dict[str, Any]]:
    allowances = (limits.look(request, policy) for policy in (limits.READS, limits.WRITES))
    return [
        _limit(
            f"{allowance.policy.name} requests",
            allowance.policy.most - allowance.left,
            allowance.policy.most,
            "requests",
            allowance.policy.seconds,
        )
        for allowance in allowances
    ]


def _uploads(user: User) -> list[dict[str, Any]]:
    theirs = Submission.objects.filter(bot__owner=user, bot__house=False)
    sent = of_person(user)
    hour, day = int(HOUR.total_seconds()), sent.filter(created__gt=timezone.now() - HOUR)
    seconds = current_usage().authors.get(user.pk, 0.0)
    pending = sent.filter(state__in=PENDING).count()
    return [
        _limit("submissions", day.count(), settings.AGON_SUBMISSIONS_PER_HOUR, "submissions", hour),
        _limit("submissions in progress", pending, settings.AGON_PENDING_PER_USER, "submissions", None),
        _limit("worker time", round(seconds, 1), settings.AGON_AUTHOR_SECONDS, "seconds", hour),
        _limit("storage", round(used(theirs) / (1 << 20), 1), settings.AGON_ACCOUNT_MIB, "MiB", None),
    ]


def _challenges(user: User) -> list[dict[str, Any]]:
    """They have a part of the worker time, which counts what all of the account's matches used."""
    running = Challenge.objects.filter(owner=user, state=State.RUNNING).count()
    seconds = current_usage().authors.get(user.pk, 0.0)
    most, hour = PART_FOR_CHALLENGES * settings.AGON_AUTHOR_SECONDS, int(HOUR.total_seconds())
    return [
        _limit("challenges in progress", running, AT_ONCE, "challenges", None),
        _limit("worker time before challenges wait", round(seconds, 1), most, "seconds", hour),
    ]


def _trials(request: Any) -> list[dict[str, Any]]:
    """The limit of a network counts everyone behind the reader's address."""
    by_person, by_network = trials.seconds_used(visitor_of(request))
    hour = int(HOUR.total_seconds())
    return [
        _limit("worker time of trials", round(by_person, 1), settings.AGON_TRIAL_SECONDS, "seconds", hour),
        _limit(
            "worker time of trials of your network",
            round(by_network, 1),
            settings.AGON_TRIAL_NETWORK_SECONDS,
            "seconds",
            hour,
        ),
    ]


def _limit(name: str, count: float, most: float, unit: str, seconds: int | None) -> dict[str, Any]:
    return {"name": name, "used": count, "most": most, "unit": unit, "seconds": seconds}
