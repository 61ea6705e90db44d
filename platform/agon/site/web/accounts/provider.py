"""Signing in with an account of an OpenID Connect provider (AGON_OIDC_URL), beyond what allauth does.

- An account of the provider is known by its subject alone. A new one never gets into an account that is here
  because the e-mail addresses are equal: addresses may be unverified, or change hands.
- A person with an account here connects the two while signed in.
"""

import logging
from typing import Any
from urllib.parse import urlencode

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.providers.openid_connect import views
from allauth.socialaccount.views import SignupView
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from requests import RequestException

from agon.site.core.addresses import address_of
from agon.site.web.accounts import registration
from agon.site.web.accounts.views import OneAccountAName
from agon.site.web.core.middleware import CONTENT_SECURITY_POLICY

log = logging.getLogger(__name__)


class Adapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Whether a newcomer gets to the page that makes the account; it asks for the code of the site."""
        return settings.AGON_REGISTRATION == "code" or _is_open(request, sociallogin)

    def on_authentication_error(self, request: HttpRequest, provider: Any, **facts: Any) -> None:
        """Log it like a wrong password; what the provider or the visitor sent is not repeated."""
        address = address_of(request)
        why = type(facts.get("exception")).__name__ if facts.get("exception") else facts.get("error") or "?"
        words = "failed sign-in by the provider from %s: %.100r"
        log.warning(words, address, str(why), extra={"address": address})

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> Any:
        """Take over nothing but a name to begin with and, where there is mail, the address."""
        if not settings.MAIL:
            sociallogin.email_addresses = []
        wanted = ("username", "email") if settings.MAIL else ("username",)
        return super().populate_user(request, sociallogin, {name: data.get(name) or "" for name in wanted})


class SignUp(OneAccountAName, SignupView):  # type: ignore[misc]
    """The page on which a person who signs in with the provider chooses a name here."""

    def is_open(self) -> bool:
        return _is_open(self.request, self.sociallogin)

    def closed(self) -> HttpResponseBase:
        """Ask for the site's code, if there is one, and come back; else say that nobody gets an account."""
        if settings.AGON_REGISTRATION == "code":
            back = urlencode({"next": self.request.path})
            return redirect(f"{reverse('registration_code')}?{back}")
        answer: HttpResponseBase = super().closed()
        return answer


def _is_open(request: HttpRequest, sociallogin: Any) -> bool:
    return registration.is_open(request, str(sociallogin.state.get("next") or ""))


def sign_in(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    """The page that leads to the provider. Its form may lead elsewhere: browsers look at redirects, too."""
    try:
        answer: HttpResponseBase = views.login(request, provider_id)
    except RequestException as error:
        log.warning("the provider for signing in does not answer: %s", error)
        return render(request, "socialaccount/authentication_error.html", status=503)
    others = " ".join(
        app["settings"]["server_url"]
        for socialaccount_provider in settings.SOCIALACCOUNT_PROVIDERS.values()
        for app in socialaccount_provider["APPS"]
    )
    answer.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY.replace(
        "form-action 'self'", f"form-action 'self' https: {others}"
    )
    return answer
