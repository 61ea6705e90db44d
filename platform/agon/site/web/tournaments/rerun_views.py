"""The page on which an organizer runs matches again, compares them with the old ones, and applies or discards
them.
"""

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agon.site.core.texts.fault_names import fault_name
from agon.site.matches.models import Match
from agon.site.matches.states import State as MatchState
from agon.site.tournaments import reruns, services
from agon.site.tournaments.models import Rerun, Tournament
from agon.site.tournaments.reruns import Choice
from agon.site.tournaments.services import BadTournament
from agon.site.use_cases import waiting
from agon.site.use_cases.waiting import Place
from agon.site.web.core import signed_in
from agon.site.web.core.form_fields import choice_field
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.tournaments.access import to_organize
from games.core.faults import FaultKind

MOST_NUMBERS = 1000


class ChoiceForm(forms.Form):
    """The form that selects matches to run again."""

    entrant = forms.ChoiceField(label=gettext_lazy("Bot"), required=False)
    worker = forms.CharField(label=gettext_lazy("Worker"), max_length=120, required=False)
    fault = forms.ChoiceField(label=gettext_lazy("Fault"), required=False)
    since = forms.DateTimeField(
        label=gettext_lazy("Ended since"),
        required=False,
        help_text=gettext_lazy("The time is UTC."),
        widget=forms.DateTimeInput({"type": "datetime-local"}),
    )
    until = forms.DateTimeField(
        label=gettext_lazy("Ended until"),
        required=False,
        help_text=gettext_lazy("The time is UTC."),
        widget=forms.DateTimeInput({"type": "datetime-local"}),
    )
    numbers = forms.CharField(label=gettext_lazy("Numbers of matches"), max_length=20_000, required=False)
    void = forms.BooleanField(label=gettext_lazy("All without a result (void)"), required=False)
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=1000)

    def __init__(self, data: QueryDict | None, tournament: Tournament) -> None:
        super().__init__(data)
        bots = [(str(entrant.number), entrant.name) for entrant in tournament.entrants.all()]
        choice_field(self, "entrant").choices = [("", _("All")), *bots]
        choice_field(self, "fault").choices = [
            ("", _("All")),
            *((kind, fault_name(kind)) for kind in FaultKind),
        ]

    def clean_numbers(self) -> tuple[int, ...]:
        words = self.cleaned_data["numbers"].replace("#", " ").replace(",", " ").split()
        if len(words) > MOST_NUMBERS:
            raise forms.ValidationError(
                _("Expected at most %(most)d numbers, got %(got)d.")
                % {"most": MOST_NUMBERS, "got": len(words)}
            )
        if not all(word.isdecimal() and len(word) < 16 for word in words):
            raise forms.ValidationError(_("Expected numbers of matches, separated by blanks or commas."))
        return tuple(map(int, words))

    @property
    def choice(self) -> Choice:
        data = self.cleaned_data
        bot = int(data["entrant"]) if data["entrant"] else None
        return Choice(
            bot, data["worker"], data["fault"], data["since"], data["until"], data["numbers"], data["void"]
        )


@signed_in.form
def tournament_rerun(request: SignedInRequest, pk: int) -> HttpResponse:
    """POST: begin, apply, or discard. 404 without permission."""
    tournament = to_organize(request, pk)
    if tournament.started is None:
        raise Http404
    rerun = tournament.reruns.filter(state=Rerun.State.PLAYING).first()
    form = ChoiceForm(request.POST if request.POST.get("act") == "begin" else None, tournament)
    if request.method == "POST":
        try:
            if _act(request, tournament, rerun, form):
                return redirect("tournament_rerun", pk)
        except BadTournament as bad:
            if rerun is not None or not form.is_bound:
                messages.error(request, str(bad))
                return redirect("tournament_rerun", pk)
            form.add_error(bad.field if bad.field in form.fields else None, str(bad))
    context = {
        "tournament": tournament,
        "competition": tournament.competition,
        "form": form,
        **(_of_rerun(rerun) if rerun else {}),
    }
    return render(request, "tournaments/rerun.html", context, status=422 if form.is_bound else 200)


def _of_rerun(rerun: Rerun) -> dict[str, object]:
    preview = reruns.preview(rerun)
    words = sorted({word for pair in preview.outcomes for word in pair})
    rows = [(old, [(new == old, preview.outcomes.get((old, new), 0)) for new in words]) for old in words]
    outcomes = {"words": words, "rows": rows}
    return {"rerun": rerun, "preview": preview, "outcomes": outcomes, "place": _place(rerun)}


def _place(rerun: Rerun) -> Place | None:
    """The place in the queue of its next match; None while one is being played."""
    going_on = Match.objects.filter(rerun__rerun=rerun, state__in=[MatchState.QUEUED, MatchState.RUNNING])
    return waiting.of_matches(list(going_on.select_related("competition")))


def _act(request: SignedInRequest, tournament: Tournament, rerun: Rerun | None, form: ChoiceForm) -> bool:
    """Whether anything was done; else the form says what is wrong. Raises BadTournament."""
    act, reason = request.POST.get("act"), request.POST.get("reason", "")[:1000]
    if act == "begin":
        if form.is_valid():
            begun = reruns.begin(tournament, form.choice, request.user, form.cleaned_data["reason"])
            number = begun.matches.count()
            words = ngettext("%(n)s match is run again.", "%(n)s matches are run again.", number)
            messages.success(request, words % {"n": number})
        return form.is_valid()
    if rerun is None or request.POST.get("rerun", str(rerun.pk)) != str(rerun.pk):  # the page shows another
        raise BadTournament("", _("These matches were applied or discarded already."))
    services.check_text("reason", reason)
    if not reason.strip():
        raise BadTournament("reason", _("Give a reason: entrants see it."))
    if act == "apply":
        reruns.apply(rerun, request.user, reason)
        messages.success(request, _("The new results were applied. The standings follow from them."))
    elif act == "discard":
        reruns.discard(rerun, request.user, reason)
        messages.success(request, _("The new results were discarded. The old ones stay."))
    else:
        raise BadTournament("", _("There is no such act."))
    return True
