"""Requests as views see them behind `agon.site.web.core.signed_in`."""

from django.http import HttpRequest

from agon.site.accounts.models import User


class SignedInRequest(HttpRequest):
    """For annotations alone: it lets no anonymous visitor through."""

    user: User
