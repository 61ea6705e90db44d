"""The page that asks for confirmation before an account is closed."""

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from agon.site.accounts.models import User
from agon.site.use_cases import closing_accounts
from agon.site.use_cases.closing_accounts import CannotClose
from agon.site.web.accounts.proof import ProofForm
from agon.site.web.core import refused, signed_in
from agon.site.web.core.requests import SignedInRequest

LONGEST_REASON = 500


BOTS_TOO = gettext_lazy("Also delete the bots; the programs of all their versions are erased")


class CloseForm(forms.Form):
    """For administrators: why."""

    bots_too = forms.BooleanField(label=BOTS_TOO, required=False)
    why = forms.CharField(
        label=gettext_lazy("Reason"), max_length=LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 3})
    )


class CloseOwnForm(ProofForm):
    bots_too = forms.BooleanField(label=BOTS_TOO, required=False)


@sensitive_post_parameters("password", "code")
@signed_in.form
def close(request: SignedInRequest, name: str) -> HttpResponse:
    """Ask for confirmation, then close the account. 404 without permission."""
    user = get_object_or_404(User, username=name)
    if not closing_accounts.may_close(request.user, user):
        raise Http404
    own = request.user.pk == user.pk
    sent = request.POST if request.method == "POST" else None
    form = CloseOwnForm(sent, request=request) if own else CloseForm(sent)
    if request.method == "POST" and form.is_valid():
        with refused.in_form(form, CannotClose):
            closing_accounts.close(
                user, request.user, form.cleaned_data.get("why", ""), form.cleaned_data["bots_too"]
            )
            if own:
                logout(request)
            messages.success(request, _("The account %(name)s has been closed.") % {"name": name})
            return redirect("home")
    context = {"person": user, "own": own, "form": form}
    return render(request, "accounts/close.html", context, status=422 if form.errors else 200)
