"""Identifies the visitors who try programs, signed in or not, for the limits on trials and access to them.

A person is an account or, without one, a browser, identified by a random name in its session. Sessions cost
nothing, so the network that they come from has limits, too. Networks are stored as keyed digests: they
must be distinguished, but no address need be known.
"""

import secrets
from typing import NamedTuple

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.core.addresses import address_of
from agon.site.trials.models import Trial
from agon.site.trials.states import GOING_ON

SESSION_KEY = "trials of"  # in the session: the person, for a browser without an account
SESSION_SECONDS = 24 * 3600  # for which a session that exists only for trials is kept


class Visitor(NamedTuple):
    """A visitor who tries programs, as the limits count them. owner: None if they are not signed in."""

    owner: User | None
    person: str
    network: str


def visitor_of(request: HttpRequest) -> Visitor:
    """The visitor. A new browser without an account gets a name, which only `remember` stores."""
    network = salted_hmac("agon.site.trials.visitors", address_of(request), algorithm="sha256").hexdigest()
    if request.user.is_authenticated:
        return Visitor(request.user, f"account {request.user.pk}", network)
    person = request.session.get(SESSION_KEY) or f"browser {secrets.token_urlsafe(18)}"
    return Visitor(None, person, network)


def remember(request: HttpRequest, visitor: Visitor) -> None:
    """Let this browser see its trials, also once its user has signed in."""
    if visitor.owner is None:
        request.session[SESSION_KEY] = visitor.person
        request.session.set_expiry(SESSION_SECONDS)


def may_see(request: HttpRequest, trial: Trial) -> bool:
    """Whether it is a trial of this browser, or of this account."""
    owns = request.user.is_authenticated and trial.owner_id == request.user.pk
    return owns or request.session.get(SESSION_KEY) == trial.person


def latest(request: HttpRequest, competition: Competition, bot: Bot | None) -> Trial | None:
    """The visitor's newest trial for `bot` (None: for a new bot), also from before they signed in."""
    return _own(request).filter(competition=competition, bot=bot).last()


def became(request: HttpRequest, bot: Bot) -> None:
    """What the visitor tried for a new bot was for `bot`, which has been entered."""
    _own(request).filter(competition=bot.competition_id, bot=None).update(bot=bot)


def _own(request: HttpRequest) -> QuerySet[Trial]:
    people = [visitor_of(request).person, request.session.get(SESSION_KEY, "")]
    return Trial.objects.filter(person__in=people)


def ongoing(request: HttpRequest, competition: Competition) -> Trial | None:
    """The visitor's waiting or running trial in this competition."""
    own = Trial.objects.filter(person=visitor_of(request).person, competition=competition)
    return own.filter(state__in=GOING_ON).first()
