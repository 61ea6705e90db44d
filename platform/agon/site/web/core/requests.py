"""Requests as views see them behind `login_required`."""

from django.http import HttpRequest

from agon.site.accounts.models import User


class SignedInRequest(HttpRequest):
    """For annotations alone: `login_required` lets no anonymous visitor through."""

    user: User
