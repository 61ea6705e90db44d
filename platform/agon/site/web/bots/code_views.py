"""Source code on pages, for those who may see it: one version, and what it changed in another of its bot."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agon.site.bots.access import get_source, may_see_private, may_see_source, source_files
from agon.site.bots.models import Submission
from agon.site.web.bots.code import compared, highlighted


@require_safe
def code(request: HttpRequest, pk: int) -> HttpResponse:
    submission = get_source(request.user, pk)
    context = _context(request, submission) | {"files": highlighted(source_files(submission))}
    return render(request, "bots/code.html", context)


@require_safe
def diff(request: HttpRequest, pk: int) -> HttpResponse:
    """`?from=` the number of the other version, by default the last one before it whose source is kept."""
    submission = get_source(request.user, pk)
    context = _context(request, submission)
    others: list[Submission] = context["others"]  # type: ignore[assignment]
    older = _chosen(submission, others, request.GET.get("from", ""))
    context |= {"older": older, "files": compared(source_files(older), source_files(submission))}
    return render(request, "bots/diff.html", context)


def _context(request: HttpRequest, submission: Submission) -> dict[str, object]:
    kept = submission.bot.submissions.exclude(pk=submission.pk).exclude(source="").order_by("-number")
    kept = kept.select_related("bot__owner__team", "bot__competition")
    return {
        "submission": submission,
        "competition": submission.bot.competition,
        "private": may_see_private(request.user, submission),
        "others": [submission for submission in kept if may_see_source(request.user, submission)],
    }


def _chosen(submission: Submission, others: list[Submission], number: str) -> Submission:
    before = [candidate for candidate in others if candidate.number < submission.number]
    chosen = [submission for submission in others if str(submission.number) == number] or before or others
    if not chosen:
        raise Http404
    return chosen[0]
