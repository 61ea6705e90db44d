"""Comparing two versions: the choice, the progress and the verdict, for the bot's owner."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from agon.site.bots.access import get_submission, may_see_private, owns
from agon.site.comparisons import progress, services
from agon.site.comparisons.models import Comparison
from agon.site.comparisons.services import NotComparable, opponents
from agon.site.comparisons.states import State
from agon.site.core.db.transitions import IllegalTransition
from agon.site.matches import usage
from agon.site.matches.models import Match
from agon.site.matches.states import State as MatchState
from agon.site.use_cases import waiting
from agon.site.web.core import refused, signed_in
from agon.site.web.core.requests import SignedInRequest
from agon.statistics.compare.sequential import Verdict

LATEST_MATCHES = 12  # matches on the page

VERDICTS = {
    Verdict.BETTER: gettext_lazy("%(new)s is better than %(old)s."),
    Verdict.WORSE: gettext_lazy("%(new)s is worse than %(old)s."),
    Verdict.NO_DIFFERENCE: gettext_lazy("There is no difference that matters between %(new)s and %(old)s."),
    Verdict.UNDECIDED: gettext_lazy("These matches do not decide which of %(new)s and %(old)s is better."),
}


@signed_in.form
def submission_compare(request: SignedInRequest, pk: int) -> HttpResponse:
    """Choose what a version is compared with, and start."""
    submission = get_submission(request.user, pk)
    if not owns(request.user, submission.bot):
        raise Http404
    offered = opponents(submission)
    if request.method == "POST":
        chosen = next(
            (candidate for candidate in offered if str(candidate.pk) == request.POST.get("old")), None
        )
        with refused.as_message(request, NotComparable):
            if chosen is None:
                raise NotComparable(_("These two versions cannot be compared now."))
            return redirect(services.start(request.user, submission, chosen))
        return redirect("submission_compare", pk)
    running = Comparison.objects.filter(owner=request.user, state=State.RUNNING).first()
    past = (
        Comparison.objects.filter(new=submission).select_related("new__bot", "old__bot").order_by("-pk")[:10]
    )
    context = {
        "submission": submission,
        "competition": submission.bot.competition,
        "offered": offered,
        "running": running,
        "past": past,
        "most": services.MOST_MATCHES,
    }
    return render(request, "comparisons/compare.html", context)


@require_safe
def comparison(request: HttpRequest, pk: int) -> HttpResponse:
    """The page, which polls `?part=comparison` until the comparison is over."""
    comparison = _comparison(request, pk)
    counted = progress.count(comparison)
    wait = None if comparison.is_over else usage.wait_of(comparison.new.bot)
    seen = f"{comparison.state}-{counted.matches}-{counted.void}{'-waits' if wait else ''}"
    place = waiting.of_matches(_going_on(comparison)) if wait is None else None
    part = request.GET.get("part") == "comparison"
    is_same_place = request.GET.get("place") in (None, place.stamp if place else "")
    if part and request.GET.get("seen") == seen and is_same_place:
        return HttpResponse(status=204)  # nothing new: the open page stays as it is
    names = {
        "new": _version_name(comparison, comparison.new_id),
        "old": _version_name(comparison, comparison.old_id),
    }
    verdict = comparison.known_verdict
    context = {
        "comparison": comparison,
        "competition": comparison.competition,
        "names": names,
        "counted": counted,
        "seen": seen,
        "wait": wait,
        "place": place,
        "verdict": VERDICTS[verdict] % names if verdict else "",
        "share": None if comparison.value is None else (1 + comparison.value) / 2,
        "low": None if comparison.low is None else (1 + comparison.low) / 2,
        "high": None if comparison.high is None else (1 + comparison.high) / 2,
        "matches": _latest(comparison),
        "may_cancel": comparison.state == State.RUNNING and owns(request.user, comparison.new.bot),
    }
    return render(request, "comparisons/part.html" if part else "comparisons/comparison.html", context)


@signed_in.act
def comparison_cancel(request: SignedInRequest, pk: int) -> HttpResponse:
    comparison = _comparison(request, pk)
    if not owns(request.user, comparison.new.bot):
        raise Http404
    try:
        progress.cancel(comparison)
    except IllegalTransition:
        messages.info(request, _("The comparison is over."))
    return redirect(comparison)


def _going_on(comparison: Comparison) -> list[Match]:
    going_on = comparison.matches.filter(state__in=[MatchState.QUEUED, MatchState.RUNNING])
    return list(going_on.select_related("competition"))


def _latest(comparison: Comparison) -> QuerySet[Match]:
    """The comparison's matches that were begun, the newest first."""
    begun = comparison.matches.exclude(state__in=[MatchState.QUEUED, MatchState.WITHDRAWN]).order_by("-index")
    return begun.prefetch_related("seats__faults")[:LATEST_MATCHES]


def _comparison(request: HttpRequest, pk: int) -> Comparison:
    comparisons = Comparison.objects.select_related("competition", "new__bot", "old__bot")
    result = get_object_or_404(comparisons, pk=pk)
    if not may_see_private(request.user, result.new):
        raise Http404
    return result


def _version_name(comparison: Comparison, pk: int) -> str:
    submission = comparison.new if pk == comparison.new_id else comparison.old
    return _("%(bot)s, version %(number)s") % {"bot": submission.bot.name, "number": submission.number}
