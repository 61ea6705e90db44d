"""The operator's page, and what operators do there."""

import re
from collections.abc import Callable
from functools import wraps

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from agon.site.audit.acts import LONGEST_REASON
from agon.site.core.db.transitions import IllegalTransition
from agon.site.fleet import parking
from agon.site.fleet.models import OddWorker
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.web.core import signed_in
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.fleet.overview import Overview, overview
from agon.site.workers import operating

PERMISSION = "fleet.change_oddworker"
View = Callable[[SignedInRequest], HttpResponse]


class ActForm(forms.Form):
    """what: an act and what it is about, `act:subject`, such as `park:main:core0`."""

    what = forms.CharField(label=gettext_lazy("What"), max_length=200, widget=forms.Select())
    why = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea({"rows": 2}),
        help_text=gettext_lazy("It is in the log of what was done."),
    )


def for_operators(view: View) -> View:
    """The view, which others do not find."""

    @wraps(view)
    def inner(request: SignedInRequest) -> HttpResponse:
        if not request.user.has_perm(PERMISSION):
            raise Http404
        return view(request)

    return inner


@never_cache
@require_safe
@login_required
@for_operators
def operate(request: SignedInRequest) -> HttpResponse:
    """What runs on the site, what waits, and what failed."""
    return _page(request, ActForm(), overview())


@never_cache
@signed_in.act
@for_operators
def act(request: SignedInRequest) -> HttpResponse:
    """Park or release a worker, drain a machine, take a match from its worker, or run the sweep."""
    form = ActForm(request.POST)
    if form.is_valid():
        name, _colon, subject = form.cleaned_data["what"].partition(":")
        if name not in ACTS:
            expected = ", ".join(ACTS)
            form.add_error(
                "what", _("Expected one of %(acts)s; got %(got)s.") % {"acts": expected, "got": name}
            )
        else:
            said = ACTS[name](request, subject, form.cleaned_data["why"])
            if said is None:
                return redirect("operate")
            form.add_error("what", said)
    return _page(request, form, overview(), status=422)


def _page(request: SignedInRequest, form: ActForm, shown: Overview, status: int = 200) -> HttpResponse:
    form.fields["what"].widget.choices = _choices(shown)
    return render(request, "fleet/operate.html", {"form": form, "shown": shown}, status=status)


def _choices(shown: Overview) -> list[tuple[str, str]]:
    """What can be done now, in words."""
    choices = [("sweep", _("Run the sweep now"))]
    for odd in shown.odd:
        choices.append(
            (f"release:{odd.worker}", _("Let %(worker)s claim matches again") % {"worker": odd.worker})
        )
    for row in shown.rows:
        place = row.place
        if place and row.seen.is_alive and (row.odd is None or row.odd.state == OddWorker.State.REPORTED):
            choices.append((f"park:{place}", _("Let %(worker)s claim no more matches") % {"worker": place}))
    for machine in shown.machines:
        choices.append(
            (f"drain:{machine}", _("Let no worker of %(machine)s claim matches") % {"machine": machine})
        )
    for match in shown.running:
        values = {"match": match.pk, "worker": match.worker}
        choices.append(
            (f"requeue:{match.pk}:{match.attempt}", _("Take match %(match)s from %(worker)s") % values)
        )
    return choices


# Each does what it is named after, and returns None, or why it did not.
Act = Callable[[SignedInRequest, str, str], str | None]


def _park(request: SignedInRequest, place: str, why: str) -> str | None:
    try:
        parking.park(place, request.user, why)
    except parking.UnknownWorker:
        return _("No worker %(worker)s is known.") % {"worker": place}
    messages.success(request, _("%(worker)s claims no more matches.") % {"worker": place})
    return None


def _release(request: SignedInRequest, place: str, why: str) -> str | None:
    odd = OddWorker.objects.exclude(state=OddWorker.State.RELEASED).filter(worker=place).first()
    try:
        if odd is None:
            return _("%(worker)s is not parked.") % {"worker": place}
        parking.release(odd, request.user, why)
    except IllegalTransition:
        return _("%(worker)s is not parked.") % {"worker": place}
    messages.success(request, _("%(worker)s claims matches again.") % {"worker": place})
    return None


def _drain(request: SignedInRequest, machine: str, why: str) -> str | None:
    drained = parking.drain(machine, request.user, why)
    if not drained:
        return _("%(machine)s has no worker that plays matches.") % {"machine": machine}
    words = ngettext(
        "%(count)d worker of %(machine)s claims no more matches.",
        "%(count)d workers of %(machine)s claim no more matches.",
        len(drained),
    )
    messages.success(request, words % {"count": len(drained), "machine": machine})
    return None


def _requeue(request: SignedInRequest, shown: str, why: str) -> str | None:
    """shown: the match and its attempt, as the page that was sent showed them."""
    number, _colon, attempt = shown.partition(":")
    is_one = re.fullmatch("[0-9]{1,18}:[0-9]{1,9}", shown)
    match = Match.objects.filter(pk=number, attempt=attempt).first() if is_one else None
    if match is None or not leases.take_away(match, request.user, why):
        return _("Match %(match)s is not being played, or is in another attempt now.") % {"match": number}
    messages.success(request, _("Match %(match)s was taken from its worker.") % {"match": number})
    return None


def _sweep(request: SignedInRequest, _subject: str, why: str) -> str | None:
    operating.sweep_now(request.user, why)
    messages.success(request, _("The sweep was sent to the workers."))
    return None


ACTS: dict[str, Act] = {
    "park": _park,
    "release": _release,
    "drain": _drain,
    "requeue": _requeue,
    "sweep": _sweep,
}
