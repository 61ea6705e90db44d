"""The three kinds of views for readers with an account. Anonymous readers are asked to sign in."""

from collections.abc import Callable
from typing import TypeVar

from django.contrib.auth.decorators import login_required
from django.http import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

_View = TypeVar("_View", bound=Callable[..., HttpResponseBase])


def page(view: _View) -> _View:
    """A page that is only read. Nothing keeps it, neither a proxy nor the browser."""
    return never_cache(require_safe(login_required(view)))


def form(view: _View) -> _View:
    """A page with a form that is sent to the same address. Nothing keeps it either."""
    return never_cache(login_required(require_http_methods(["GET", "HEAD", "POST"])(view)))


def act(view: _View) -> _View:
    """What a form of another page is sent to."""
    return login_required(require_POST(view))
