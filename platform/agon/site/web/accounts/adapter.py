"""What signing up, signing in, and the site's emails need beyond what allauth does."""

import logging
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.core.internal import ratelimit
from allauth.mfa.signals import authentication_failed as second_factor_failed
from django.conf import settings
from django.core.exceptions import ValidationError
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from agon.site.accounts import browsers
from agon.site.accounts.models import User
from agon.site.core.addresses import address_of
from agon.site.core.db.name_keys import name_key, skeletons_of
from agon.site.web.accounts import fresh_sign_in, registration
from agon.site.web.bots.entering import enter_draft

APP = "allauth.account"
LOGGED_NAME = 20  # characters of the name in a failed attempt to sign in
ABOUT_MAIL = tuple(
    f"account/messages/{name}.txt"
    for name in ("email_confirmation_sent", "unverified_primary_email", "login_code_sent")
)


log = logging.getLogger(__name__)


class Site(NamedTuple):
    """What email templates need to know of a site."""

    name: str
    domain: str


class Adapter(DefaultAccountAdapter):
    """Count wrong passwords such that guessing cannot lock out the account's owner.

    - `login_failed` counts per name and origin: the browser, if the account's owner has signed in with it
      before (agon.site.accounts.browsers), otherwise the address.
    - `login_failed_elsewhere` counts per name all attempts from unknown browsers. It bounds guessing from
      many addresses. An owner shut out by it can still sign in with a browser used before.
    """

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Raises ValidationError. shallow: the name is only looked up, not registered."""
        username = super().clean_username(username, shallow)
        if not shallow:
            if _is_like_a_reserved_name(username):
                raise self.validation_error("username_blacklisted")
            try:
                User(username=username).clean()
            except ValidationError as error:
                raise ValidationError(error.messages) from None
        return username

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return registration.is_open(request)

    def get_client_ip(self, request: HttpRequest) -> str:
        address = address_of(request)
        return address if address != "unknown" else "0.0.0.0"  # sessions are stored with it

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count an attempt before it is made. Raises ValidationError if there were too many."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            self._note(request, credentials, "too many attempts")
            raise
        if browsers.known(request, _login(credentials)):
            return
        key = _login(credentials)
        self._elsewhere = ratelimit.consume(request, app=APP, action="login_failed_elsewhere", key=key)
        if not self._elsewhere:
            self._note(request, credentials, "too many attempts from elsewhere")
            raise self.validation_error("too_many_login_attempts")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        self._note(request, credentials, "no such name, or another password")

    def _note(self, request: HttpRequest, credentials: dict[str, Any], why: str) -> None:
        """Log an attempt that failed. People type passwords into the field for the name: it is cut off."""
        name = str(credentials.get("email") or credentials.get("username") or "")
        shown = name if len(name) <= LOGGED_NAME else f"{name[:LOGGED_NAME]}..."
        address = address_of(request)
        log.warning("failed sign-in as %r from %s: %s", shown, address, why, extra={"address": address})

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Ask for proof before an account gets another address, to which a new password can be mailed, or one
        of the provider, which leads into it; unless the person has just signed in.
        """
        if app in (APP, "allauth.socialaccount"):
            return not fresh_sign_in.is_fresh(context.request)
        return bool(super().is_reauthentication_required(app=app, **kwargs))

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        if kwargs.get(
            "signup"
        ):  # the session of a visitor with a draft ends soon (agon.site.web.bots.drafts)
            request.session.set_expiry(settings.SESSION_COOKIE_AGE)
        fresh_sign_in.note(request)
        response: HttpResponse = super().post_login(request, user, **kwargs)
        entered = enter_draft(request, user)
        if entered is not None:
            response = redirect(entered)
        browsers.remember(response, user.username)
        return response

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Emails name the site by SITE_URL, whatever host the request was sent to."""
        host = urlsplit(settings.SITE_URL).netloc
        super().send_mail(template_prefix, email, {**context, "current_site": Site(host, host)})

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **kwargs: Any
    ) -> None:
        """No message says that a mail was sent, or asks for what only a mail can do, where there is none."""
        if settings.MAIL or message_template not in ABOUT_MAIL:
            super().add_message(request, level, message_template, *args, **kwargs)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        login = _login(credentials)
        return f"{browsers.known(request, login) or address_of(request)} {login}"

    def _rollback_login_failed_rl_usage(self) -> None:
        super()._rollback_login_failed_rl_usage()
        elsewhere = getattr(self, "_elsewhere", None)
        if elsewhere:
            elsewhere.rollback()

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        super()._delete_login_attempts_cached_email(request, **credentials)
        ratelimit.clear(request, app=APP, action="login_failed_elsewhere", key=_login(credentials))


@receiver(second_factor_failed)
def note_wrong_code(request: HttpRequest, user: User, **_: Any) -> None:
    """Log it like a wrong password: the password was right."""
    address = address_of(request)
    words = "failed sign-in as %r from %s: the password was right, and the second factor wrong"
    log.warning(words, user.username[:LOGGED_NAME], address, extra={"address": address})


def _is_like_a_reserved_name(username: str) -> bool:
    skeletons = skeletons_of(username)
    return any(
        skeletons.folded == reserved.folded or skeletons.written == reserved.written
        for reserved in map(skeletons_of, settings.ACCOUNT_USERNAME_BLACKLIST)
    )


def _login(credentials: dict[str, Any]) -> str:
    return name_key(str(credentials.get("email") or credentials.get("username") or ""))
