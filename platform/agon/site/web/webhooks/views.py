"""The pages where an account makes webhooks, sees what became of each event, and has events sent again."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.site.competitions.access import with_tournaments_of
from agon.site.competitions.lists import of_list
from agon.site.competitions.models import Competition
from agon.site.web.core import refused, signed_in
from agon.site.web.core.form_fields import model_field
from agon.site.web.core.paging import Page
from agon.site.web.core.requests import SignedInRequest
from agon.site.webhooks import services
from agon.site.webhooks.models import LONGEST_URL, Hook
from agon.site.webhooks.services import BadHook

NEW = "new-webhook"  # in the session, from the form to the page that shows the secret once
DELIVERIES = 50  # on a page


class HookForm(forms.Form):
    """A new webhook. competition: for organizers alone."""

    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=LONGEST_URL,
        help_text=gettext_lazy("Of a server of yours, such as https://example.org/agon."),
        widget=forms.URLInput(attrs={"autocomplete": "off", "placeholder": "https://"}),
    )
    competition = forms.ModelChoiceField(
        label=gettext_lazy("It gets"),
        queryset=Competition.objects.none(),
        required=False,
        empty_label=gettext_lazy("what concerns your bots"),
    )

    def __init__(self, *args: Any, request: SignedInRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        run = of_list(with_tournaments_of(request.user))
        if run.exists():
            model_field(self, "competition").queryset = run.order_by("title")
        else:
            del self.fields["competition"]


@signed_in.form
def webhooks(request: SignedInRequest) -> HttpResponse:
    """The list, a form for a new one, and once the secret of the one that was just made."""
    form = HookForm(request.POST if request.method == "POST" else None, request=request)
    if form.is_valid():
        data = form.cleaned_data
        with refused.in_form(form, BadHook):
            made = services.register(request.user, data["url"], data.get("competition"))
            request.session[NEW] = made.secret
            return redirect("webhooks")
    context = {
        "form": form,
        "hooks": request.user.webhooks.select_related("competition").order_by("-pk"),
        "made": request.session.pop(NEW, None) if request.method == "GET" else None,
    }
    return render(request, "webhooks/webhooks.html", context, status=422 if form.errors else 200)


@signed_in.page
def webhook(request: SignedInRequest, pk: int) -> HttpResponse:
    """What was sent to one of one's own webhooks, the newest first. 404 for another's."""
    hook = _own(request, pk)
    deliveries = hook.deliveries.select_related("event").order_by("-pk")
    page = Page(deliveries, DELIVERIES, request.GET.get("page"))
    return render(request, "webhooks/webhook.html", {"hook": hook, "page": page})


@signed_in.act
def delete(request: SignedInRequest, pk: int) -> HttpResponse:
    services.delete(_own(request, pk))
    messages.success(request, _("The webhook was deleted."))
    return redirect("webhooks")


@signed_in.act
def switch_on(request: SignedInRequest, pk: int) -> HttpResponse:
    services.switch_on(_own(request, pk))
    messages.success(request, _("The next event is sent in a moment."))
    return redirect("webhook", pk)


@signed_in.act
def send_again(request: SignedInRequest, pk: int, delivery: int) -> HttpResponse:
    """Send an event once more. 404 for one that is not kept any more."""
    to_send = _own(request, pk).deliveries.filter(pk=delivery).first()
    if to_send is None:
        raise Http404
    services.send_again(to_send)
    messages.success(request, _("The event is sent again in a moment."))
    return redirect("webhook", pk)


def _own(request: SignedInRequest, pk: int) -> Hook:
    hook = Hook.objects.filter(pk=pk, owner=request.user).select_related("competition").first()
    if hook is None:
        raise Http404
    return hook
