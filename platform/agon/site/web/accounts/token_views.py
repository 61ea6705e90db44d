"""The page where owners make access tokens for their programs, see when each was used, and revoke them."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from agon.site.accounts.models import User
from agon.site.competitions.access import may_create, run_by
from agon.site.competitions.lists import listed
from agon.site.competitions.models import Competition
from agon.site.tokens import services
from agon.site.tokens.models import Scope, Token
from agon.site.tokens.services import BadToken
from agon.site.tournaments.rights import may_organize
from agon.site.web.accounts.proof import ProofForm
from agon.site.web.core import refused, signed_in
from agon.site.web.core.form_fields import choice_field, model_field
from agon.site.web.core.requests import SignedInRequest

NEW = "new-token"  # in the session, from the form to the page that shows it once
SOON = timedelta(days=14)
DAYS = [
    (30, gettext_lazy("30 days")),
    (90, gettext_lazy("90 days")),
    (365, gettext_lazy("1 year")),
    ("", pgettext_lazy("token", "never")),
]


class TokenForm(ProofForm):
    """A new token."""

    name = forms.CharField(
        label=pgettext_lazy("token", "Name"),
        max_length=services.LONGEST_NAME,
        help_text=gettext_lazy("So that you know it again, such as “laptop”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("It may"), widget=forms.CheckboxSelectMultiple, initial=[Scope.READ, Scope.SUBMIT]
    )
    competition = forms.ModelChoiceField(
        label=gettext_lazy("Only in"),
        help_text=gettext_lazy("In others it changes nothing, and reads what everyone may read."),
        queryset=Competition.objects.none(),
        required=False,
        empty_label=gettext_lazy("all competitions"),
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Expires after"),
        choices=DAYS,
        coerce=int,
        empty_value=None,
        required=False,
        initial=90,
    )
    field_order = ("name", "scopes", "competition", "days", "password", "code")

    def __init__(self, *args: Any, request: SignedInRequest, **kwargs: Any) -> None:
        super().__init__(*args, request=request, **kwargs)
        choice_field(self, "scopes").choices = [(scope.value, scope.label) for scope in offered(request.user)]
        model_field(self, "competition").queryset = listed().order_by("title")


def offered(user: User) -> list[Scope]:
    """The scopes that are of use to an account."""
    scopes = [Scope.READ, Scope.SUBMIT]
    if may_organize(user) or may_create(user) or run_by(user).exists():
        scopes.append(Scope.ORGANIZE)
    if user.has_perm("fleet.change_oddworker"):
        scopes.append(Scope.OPERATE)
    return scopes


@sensitive_post_parameters("password", "code")
@signed_in.form
def tokens(request: SignedInRequest) -> HttpResponse:
    """The list, a form for a new one, and once the text of the one that was just made."""
    form = TokenForm(request.POST if request.method == "POST" else None, request=request)
    if form.is_valid():
        data = form.cleaned_data
        with refused.in_form(form, BadToken):
            _token, text = services.issue(
                request.user, data["name"], data["scopes"], data["competition"], data["days"]
            )
            request.session[NEW] = text
            return redirect("tokens")
    context = {
        "form": form,
        "tokens": request.user.tokens.select_related("competition").order_by("-pk"),
        "made": request.session.pop(NEW, None) if request.method == "GET" else None,
        "soon": timezone.now() + SOON,
    }
    return render(request, "accounts/tokens.html", context, status=422 if form.errors else 200)


@signed_in.act
def revoke_token(request: SignedInRequest, pk: int) -> HttpResponse:
    """Revoke one of one's own tokens. 404 for another's."""
    token = Token.objects.filter(pk=pk, owner=request.user).first()
    if token is None:
        raise Http404
    services.revoke(token)
    messages.success(request, _("The token %(name)s was revoked.") % {"name": token.name})
    return redirect("tokens")
