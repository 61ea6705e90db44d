"""How many requests an account may send, or an address without a token.

Each has an allowance that refills evenly: what is left is kept in the cache with the time. Two requests at
the same moment may be counted as one: the limits protect the site, and nothing else depends on them. Refused
requests cost nothing.
"""

import math
import re
import time
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.utils.translation import gettext as _

from agon.site.api.problems import Problem
from agon.site.core.addresses import address_of

SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class Policy:
    """`most` requests in `seconds`."""

    name: str
    most: int
    seconds: int


READS = Policy("read", 1200, 60)
WRITES = Policy("write", 120, 60)
ANSWERS = Policy("answer", 2400, 60)  # of bots at home, which are asked many times in a match
ANONYMOUS = Policy("anonymous", 600, 60)
POLICIES = (READS, WRITES, ANSWERS, ANONYMOUS)
AT_HOME = re.compile(r"/api/v1/home-bots/[0-9]+/(asks|answers)")


@dataclass(frozen=True)
class Allowance:
    """What is left of a policy. reset: seconds until it is full again."""

    policy: Policy
    left: int
    reset: int

    @property
    def headers(self) -> dict[str, str]:
        """As in the IETF's draft of RateLimit headers."""
        policy = self.policy
        return {
            "RateLimit-Policy": f'"{policy.name}";q={policy.most};w={policy.seconds}',
            "RateLimit": f'"{policy.name}";r={self.left};t={self.reset}',
        }


def policy_of(request: Any) -> Policy:
    """The policy that a request counts for."""
    if request.token is None:
        return ANONYMOUS
    if AT_HOME.fullmatch(request.path):
        return ANSWERS
    return READS if request.method in SAFE else WRITES


def take(request: Any) -> Allowance:
    """Count a request. Raises Problem, with the seconds to wait, if nothing is left."""
    policy = policy_of(request)
    key = _key(request, policy)
    left, now = _left(key, policy)
    if left < 1:
        wait = math.ceil((1 - left) * policy.seconds / policy.most)
        raise Problem(
            "too_many_requests",
            _("At most %(most)d requests are accepted in %(seconds)d s. Try again in %(wait)d s.")
            % {"most": policy.most, "seconds": policy.seconds, "wait": wait},
            retry_after=wait,
        )
    cache.set(key, (left - 1, now), policy.seconds)
    return _allowance(policy, left - 1)


def look(request: Any, policy: Policy) -> Allowance:
    """What is left, without counting anything."""
    return _allowance(policy, _left(_key(request, policy), policy)[0])


def _key(request: Any, policy: Policy) -> str:
    who = f"address-{address_of(request)}" if request.token is None else f"account-{request.token.owner_id}"
    return f"api-{policy.name}-{who}"


def _left(key: str, policy: Policy) -> tuple[float, float]:
    now = time.time()
    left, at = cache.get(key) or (float(policy.most), now)
    refilled = left + max(0.0, now - at) * policy.most / policy.seconds
    return min(float(policy.most), refilled), now


def _allowance(policy: Policy, left: float) -> Allowance:
    missing = policy.most - left
    return Allowance(policy, int(left), math.ceil(missing * policy.seconds / policy.most))
