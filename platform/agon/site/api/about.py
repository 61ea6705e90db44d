"""The site itself: its version, its languages, and whether its workers keep up."""

from typing import Any

from django.utils import timezone
from ninja import Router
from pydantic import Field

import agon
from agon.site.api.fleet import PLAYING
from agon.site.api.limits import POLICIES
from agon.site.api.shapes import Shape, link
from agon.site.bots.languages import offered
from agon.site.bots.models import Submission
from agon.site.bots.states import State as SubmissionState
from agon.site.fleet import parking
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.trials.models import Trial
from agon.site.trials.states import State as TrialState
from sandbox.languages.registry import all_languages

router = Router(tags=["site"])


class PolicyShape(Shape):
    """At most this many requests in that many seconds; the allowance refills evenly."""

    name: str
    requests: int
    seconds: int


class SiteShape(Shape):
    version: str
    limits: list[PolicyShape]
    openapi: str
    documentation: str
    links: dict[str, str]


class LanguageShape(Shape):
    slug: str
    title: str
    extensions: list[str]
    only_chosen: bool = Field(description="Whether its files are of another language unless it is named.")
    offered: bool = Field(description="Whether it is installed where bots are built.")


class QueueShape(Shape):
    """waiting: how many. oldest: seconds for which the oldest of them has waited; null if none waits."""

    name: str
    waiting: int
    oldest: float | None


class StatusShape(Shape):
    queues: list[QueueShape]
    running: int = Field(description="Matches that are played now.")
    workers: int = Field(description="Workers that have claimed a match within 5 minutes.")


@router.get("/", response=SiteShape)
def site(request: Any) -> dict[str, Any]:
    """Where everything is."""
    lists = ("competitions", "games", "matches", "tournaments", "languages", "status", "me")
    return {
        "version": agon.__version__,
        "limits": [
            {"name": policy.name, "requests": policy.most, "seconds": policy.seconds} for policy in POLICIES
        ],
        "openapi": link("/api/v1/openapi.json"),
        "documentation": link("/docs/guides/api/"),
        "links": {name: link(f"/api/v1/{name}") for name in lists},
    }


@router.get("/languages", response=list[LanguageShape])
def languages(request: Any) -> list[dict[str, Any]]:
    """The languages that bots can be written in."""
    here = {language.slug for language in offered()}
    return [
        LanguageShape.from_row(
            language,
            extensions=list(language.extensions),
            offered=language.slug in here,
        )
        for language in all_languages()
    ]


@router.get("/status", response=StatusShape)
def status(request: Any) -> dict[str, Any]:
    """What waits, and since when."""
    matches = Match.objects.filter(state=State.QUEUED)
    waiting = {
        "builds": Submission.objects.filter(state=SubmissionState.RECEIVED),
        "qualifications": matches.filter(kind=Match.Kind.QUALIFICATION),
        "ladder": matches.filter(kind=Match.Kind.LADDER),
        "tournaments": matches.filter(kind__in=(Match.Kind.TOURNAMENT, Match.Kind.RERUN)),
        "comparisons": matches.filter(kind=Match.Kind.COMPARISON),
        "challenges": matches.filter(kind=Match.Kind.CHALLENGE),
        "assessments": matches.filter(kind=Match.Kind.ASSESSMENT),
        "trials": Trial.objects.filter(state=TrialState.QUEUED),
    }
    return {
        "queues": [_queue(name, queued) for name, queued in waiting.items()],
        "running": Match.objects.filter(state=State.RUNNING).count(),
        "workers": len(parking.playing_since(timezone.now() - PLAYING)),
    }


def _queue(name: str, waiting: Any) -> dict[str, Any]:
    oldest = waiting.order_by("pk").values_list("created", flat=True).first()
    seconds = None if oldest is None else (timezone.now() - oldest).total_seconds()
    return {"name": name, "waiting": waiting.count(), "oldest": seconds}
