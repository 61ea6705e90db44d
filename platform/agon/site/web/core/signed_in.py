"""The three kinds of views for readers with an account. Anonymous readers are asked to sign in.

A session may end while a page is open. A form that is sent then is not acted on, which the page to sign in
says; it leads back to the form, which is filled in again (static/js/kept_forms.js). A part that the page
fetches is refused in words (static/js/failures.js).
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agon.site.web.core.refusals import LOGGED
from agon.site.web.core.requests import page_before

_View = TypeVar("_View", bound=Callable[..., HttpResponseBase])


def page(view: _View) -> _View:
    """A page that is only read. Nothing keeps it, neither a proxy nor the browser."""
    return never_cache(require_safe(_signed_in(view, HttpRequest.get_full_path)))


def form(view: _View) -> _View:
    """A page with a form that is sent to the same address. Nothing keeps it either."""
    shown = require_http_methods(["GET", "HEAD", "POST"])(view)
    return never_cache(_signed_in(shown, HttpRequest.get_full_path))


def act(view: _View) -> _View:
    """What a form of another page is sent to."""
    return _signed_in(require_POST(view), page_before)


def _signed_in(view: _View, form: Callable[[HttpRequest], str]) -> _View:
    """form: the address of the page that a form was on."""

    @wraps(view)
    def respond(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if request.headers.get("HX-Request"):
            words = _("You are signed out. Sign in again in another tab, then go on here.")
            answer = HttpResponse(words, status=401, content_type="text/plain; charset=utf-8")
            setattr(answer, LOGGED, True)  # open pages ask again and again
            return answer
        if request.method != "POST":
            return redirect_to_login(request.get_full_path())
        messages.error(request, _("You are signed out, so nothing was changed. Sign in and try again."))
        return redirect_to_login(form(request))

    return cast(_View, respond)
