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
from competitions.models import Competition
from trials.models import Trial
from trials.states import GOING_ON

BROWSER = "trials of"  # in the session: the person that this browser is without an account
SECONDS = 24 * 3600  # for which a session that exists for trials alone is kept


class Visitor(NamedTuple):
    """owner: None for a visitor who is not signed in."""

    owner: User | None
    person: str
    network: str


def visitor_of(request: HttpRequest) -> Visitor:
    """The visitor. A browser without an account gets a name, which is forgotten unless it is remembered."""
    network = salted_hmac("trials.visitors", address_of(request), algorithm="sha256").hexdigest()
    if request.user.is_authenticated:
        return Visitor(request.user, f"account {request.user.pk}", network)
    person = request.session.get(BROWSER) or f"browser {secrets.token_urlsafe(18)}"
    return Visitor(None, person, network)


def remember(request: HttpRequest, visitor: Visitor) -> None:
    """Let this browser see its trials, also once its user has signed in."""
    if visitor.owner is None:
        request.session[BROWSER] = visitor.person
        request.session.set_expiry(SECONDS)


def may_see(request: HttpRequest, trial: Trial) -> bool:
    """Whether it is a trial of this browser, or of this account."""
    owns = request.user.is_authenticated and trial.owner_id == request.user.pk
    return owns or request.session.get(BROWSER) == trial.person


def ongoing(request: HttpRequest, competition: Competition) -> Trial | None:
    """The visitor's trial that waits or is played there."""
    theirs = Trial.objects.filter(person=visitor_of(request).person, competition=competition)
    return theirs.filter(state__in=GOING_ON).first()
