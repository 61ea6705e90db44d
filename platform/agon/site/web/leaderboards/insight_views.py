"""The page that analyzes why a bot loses: one of its versions, or two side by side."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agon.site.bots.access import get_bot
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import COMPETED
from agon.site.leaderboards.models import Rated
from agon.site.use_cases.insight import MOST_MATCHES, insight
from agon.site.web.core.downloads import download
from agon.site.web.leaderboards import pictures
from agon.site.web.leaderboards.insight_words import Version, matches_to_watch, names_of, sections, weaknesses


@require_safe
def bot_analysis(request: HttpRequest, pk: int) -> HttpResponse:
    """`?version=` selects a version that competed, by default the last one; `&beside=` adds another."""
    bot = get_bot(request.user, pk)
    competed = versions_of(bot)
    shown = _chosen(competed, request.GET.get("version", ""), competed[:1])
    beside = [
        submission
        for submission in _chosen(competed, request.GET.get("beside", ""), [])
        if submission not in shown
    ]
    versions = [Version(submission, insight(submission)) for submission in [*shown, *beside]]
    names = names_of(versions)
    context = {
        "bot": bot,
        "competition": bot.competition,
        "competed": competed,
        "versions": versions,
        "shown": shown[0].number if shown else None,
        "beside": beside[0].number if beside else None,
        "weaknesses": [(version, weaknesses(version, names)) for version in versions],
        "sections": sections(versions, names),
        "watch": matches_to_watch(versions[0]) if versions else [],
        "most": MOST_MATCHES,
        "times": [(version, pictures.time_used(version.insight)) for version in versions],
        "faults": pictures.faults_by_version(competed),
    }
    return render(request, "bots/analysis.html", context)


@require_safe
def bot_csv(request: HttpRequest, pk: int, what: str) -> HttpResponse:
    """The data of a chart as CSV. what: a key of DATA. `?version=` as above."""
    bot = get_bot(request.user, pk)
    text = DATA[what](versions_of(bot), request.GET.get("version", ""))
    return download(text.encode(), f"bot-{pk}-{what}.csv", "text/csv; charset=utf-8")


def _times_csv(competed: list[Submission], number: str) -> str:
    if not competed:
        raise Http404
    return pictures.times_csv(insight(_chosen(competed, number, competed[:1])[0]))


DATA: dict[str, Callable[[list[Submission], str], str]] = {
    "ratings": lambda competed, number: pictures.ratings_csv(competed),
    "faults": lambda competed, number: pictures.faults_csv(competed),
    "times": _times_csv,
}


def versions_of(bot: Bot) -> list[Submission]:
    """The bot's versions that have a rating, the newest first."""
    rated = Rated.objects.filter(submission__bot=bot, submission__state__in=COMPETED)
    rated_versions = rated.select_related("submission__bot__competition", "rating").order_by(
        "-submission__number"
    )
    return [version.submission for version in rated_versions]


def _chosen(competed: list[Submission], number: str, default: list[Submission]) -> list[Submission]:
    return [submission for submission in competed if str(submission.number) == number] or default
