"""Who may make an account, and the page that asks for the code of the site.

Those who have a link of a team or of a competition for invited people, or came from it, may always. The
personal links of a course's roster make accounts by themselves (agon.site.web.courses.joining_views).
"""

import secrets
from typing import Any
from urllib.parse import urlencode, urlsplit

from allauth.core.internal import ratelimit
from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils.crypto import salted_hmac
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from agon.site.competitions.organizing import is_link_of
from agon.site.teams import services as teams
from agon.site.teams.services import NoInvitation

KEY = "registration-code"  # in the session: a digest of the code, so that a changed one has to be given again


class CodeForm(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("The code for new accounts of this site"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        if not ratelimit.consume(self.request, app="allauth.account", action="registration_code"):
            raise forms.ValidationError(_("Too many attempts. Try again in a minute."))
        if not secrets.compare_digest(code.encode(), settings.AGON_REGISTRATION_CODE.encode()):
            raise forms.ValidationError(_("This is not the code."))
        return code


@sensitive_post_parameters("code")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def code(request: HttpRequest) -> HttpResponse:
    """Ask for the code, remember that it was right, and go on to the form for a new account."""
    back = _next(request)
    on = reverse("account_signup") + (f"?{urlencode({'next': back})}" if back else "")
    if back == reverse("socialaccount_signup"):  # for an account of the provider
        on = back
    if settings.AGON_REGISTRATION != "code":
        return redirect(on)
    form = CodeForm(request.POST if request.method == "POST" else None, request=request)
    if request.method == "POST" and form.is_valid():
        request.session[KEY] = _digest()
        return redirect(on)
    context = {"form": form, "next": back}
    return render(request, "accounts/registration_code.html", context, status=422 if form.errors else 200)


def is_open(request: HttpRequest, back: str = "") -> bool:
    """Whether this visitor may make an account. back: where they go afterwards, if not in the request."""
    if settings.AGON_REGISTRATION == "open" or _is_invitation(back or _next(request)):
        return True
    given = str(request.session.get(KEY, ""))
    return settings.AGON_REGISTRATION == "code" and secrets.compare_digest(given, _digest())


def _digest() -> str:
    return salted_hmac(KEY, settings.AGON_REGISTRATION_CODE, algorithm="sha256").hexdigest()


def _next(request: HttpRequest) -> str:
    """Where to go afterwards, on this site."""
    back = request.POST.get("next", request.GET.get("next", ""))
    return back if url_has_allowed_host_and_scheme(back, allowed_hosts=None) else ""


def _is_invitation(back: str) -> bool:
    try:
        match = resolve(urlsplit(back).path)
    except (Resolver404, ValueError):
        return False
    if match.url_name == "team_join":
        try:
            teams.invited_to(match.kwargs["secret"])
        except NoInvitation:
            return False
        return True
    return match.url_name == "competition_enter" and is_link_of(match.kwargs["slug"], match.kwargs["secret"])
