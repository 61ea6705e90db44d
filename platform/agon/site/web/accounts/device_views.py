"""The page on which a person lets a program act as their account (agon.site.tokens.device).

It asks for the code first, unless the address has it. Approving asks for the password, as making a token by
hand does, unless the person signed in for this.
"""

from typing import Any

from allauth.core.internal import ratelimit
from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from agon.site.tokens import device
from agon.site.tokens.device import DAYS, AlreadyAnswered
from agon.site.tokens.models import DeviceLogin
from agon.site.tokens.services import BadToken
from agon.site.web.accounts import fresh_sign_in
from agon.site.web.accounts.proof import ProofForm
from agon.site.web.accounts.token_views import offered
from agon.site.web.core import signed_in
from agon.site.web.core.requests import SignedInRequest

ANSWER = "device-answer"  # in the session, from the form to the page that says it once


class CodeForm(forms.Form):
    """The code that the program shows. After cleaning, `login` is the device login that it belongs to."""

    code = forms.CharField(
        label=gettext_lazy("The code that the program shows"),
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}
        ),
    )

    def __init__(self, *args: Any, request: SignedInRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        if not _may_try(self.request):
            raise forms.ValidationError(_("Too many attempts. Try again in a minute."))
        login = device.find(code)
        if login is None:
            raise forms.ValidationError(
                _("No program waits for this code. It may have been answered, or have expired.")
            )
        self.login = login
        return code


def _may_try(request: SignedInRequest) -> bool:
    """Count an attempt, also one by GET, which allauth leaves out by default."""
    return bool(
        ratelimit.consume(
            request, app="allauth.account", action="device_code", user=request.user, limit_get=True
        )
    )


@sensitive_post_parameters("password", "code")
@signed_in.form
def device_page(request: SignedInRequest) -> HttpResponse:
    """The form for the code; with one, what the program asks for, to approve or refuse."""
    if request.method == "POST":
        return _answer(request)
    if "code" in request.GET:
        form = CodeForm(request.GET, request=request)
        if form.is_valid():
            return _question(request, form.login, _proof_form(request))
        return _ask(request, form)
    return _ask(request, CodeForm(request=request), request.session.pop(ANSWER, None))


def _answer(request: SignedInRequest) -> HttpResponse:
    form = CodeForm(request.POST, request=request)
    if not form.is_valid():
        return _ask(request, form)
    login = form.login
    if "refuse" in request.POST:
        return _refuse(request, login)
    password = _proof_form(request)
    if password is not None and not password.is_valid():
        return _question(request, login, password)
    try:
        device.approve(login, request.user, offered(request.user))
    except AlreadyAnswered:
        return _too_late(request)
    except BadToken as bad:
        return _question(request, login, password, str(bad))
    return _answered(request, login, "approved")


def _refuse(request: SignedInRequest, login: DeviceLogin) -> HttpResponse:
    try:
        device.refuse(login)
    except AlreadyAnswered:
        return _too_late(request)
    return _answered(request, login, "refused")


def _answered(request: SignedInRequest, login: DeviceLogin, answer: str) -> HttpResponse:
    request.session[ANSWER] = {"answer": answer, "program": login.program}
    return redirect("device")


def _too_late(request: SignedInRequest) -> HttpResponse:
    """Another tab, or the clock, was first: the code is not good any more, and the form says so."""
    return _ask(request, CodeForm(request.POST, request=request))


def _proof_form(request: SignedInRequest) -> ProofForm | None:
    if fresh_sign_in.is_fresh(request):
        return None
    return ProofForm(request.POST if request.method == "POST" else None, request=request)


def _ask(request: SignedInRequest, form: CodeForm, answer: Any = None) -> HttpResponse:
    status = 422 if form.errors else 200
    return render(request, "accounts/device.html", {"form": form, "answer": answer}, status=status)


def _question(
    request: SignedInRequest, login: DeviceLogin, password: ProofForm | None, problem: str = ""
) -> HttpResponse:
    asked = set(login.scopes)
    context = {
        "login": login,
        "scopes": [scope.label for scope in offered(request.user) if scope in asked],
        "days": DAYS,
        "password": password,
        "problem": problem,
    }
    is_bad = problem or (password is not None and password.errors)
    return render(request, "accounts/device_approve.html", context, status=422 if is_bad else 200)
