"""Who tries a program, signed in or not: what limits count by, and who may see a trial.

A person is an account, or a browser without one, known by a random name in its session. Browsers are free to
make, so the network that they come from has limits, too. Networks are kept as keyed digests: a trial needs to
tell two of them apart, not to know an address.
"""

import secrets
from typing import NamedTuple

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from accounts.models import User
from agon.web.addresses import address_of
from trials.models import Trial

BROWSER = "trials of"  # in the session: this browser's random name
LATEST = "trial"  # in the session: the token of its latest trial
SECONDS = 24 * 3600  # for which a session that exists for trials alone is kept


class Visitor(NamedTuple):
    """owner: None for a visitor who is not signed in."""

    owner: User | None
    person: str
    network: str


def visitor_of(request: HttpRequest) -> Visitor:
    """The visitor; a browser without an account gets its name, which its session then holds."""
    network = salted_hmac("trials.visitors", address_of(request), algorithm="sha256").hexdigest()
    if request.user.is_authenticated:
        return Visitor(request.user, f"account {request.user.pk}", network)
    if BROWSER not in request.session:
        request.session[BROWSER] = secrets.token_urlsafe(18)
        request.session.set_expiry(SECONDS)
    return Visitor(None, f"browser {request.session[BROWSER]}", network)


def remember(request: HttpRequest, trial: Trial) -> None:
    """Let this browser see the trial, also once its user has signed in."""
    request.session[LATEST] = trial.token


def may_see(request: HttpRequest, trial: Trial) -> bool:
    """Whether it is the latest trial of this browser, or one of this account."""
    owns = request.user.is_authenticated and trial.owner_id == request.user.pk
    return owns or request.session.get(LATEST) == trial.token
