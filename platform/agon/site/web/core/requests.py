"""Requests as views see them behind `agon.site.web.core.signed_in`, and the page that a form was on."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

from agon.site.accounts.models import User


class SignedInRequest(HttpRequest):
    """For annotations alone: it lets no anonymous visitor through."""

    user: User


def page_before(request: HttpRequest) -> str:
    """The page that the form was on, if it is one of this site; otherwise the home page."""
    before = request.headers.get("Referer", "")
    return before if url_has_allowed_host_and_scheme(before, {request.get_host()}) else "/"
