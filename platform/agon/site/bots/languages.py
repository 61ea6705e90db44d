"""Which languages are offered: those that pass their self-test where bots are built.

The web server has no sandbox to test them in. Workers that build do so (`probe`), at their start and
periodically, and put the answer of their machine into the cache. With every language installed, all
self-tests together take half a minute, so they run a few at a time, with builds in between. A language is
offered if it works on any machine that builds now. Until the first answer every language is offered; what
does not work is then reported by the build. What works on each machine is in the cache, and in what its
builders say of themselves every few seconds, from where it comes back if the cache was emptied (`keep`).
"""

import logging
import math
from collections.abc import Collection, Mapping, Sequence
from time import monotonic

from django.conf import settings
from django.core.cache import cache

from sandbox.api import Sandbox
from sandbox.building import selftest
from sandbox.languages import registry
from sandbox.languages.registry import Language

OFFERED = "languages-offered"
FOUND = "languages-found"  # in the cache: what works, by machine

log = logging.getLogger(__name__)
_here: list[str] = []  # what this process has found


def probe(sandbox: Sandbox, seconds: float = math.inf, building: Collection[str] = ()) -> list[str] | None:
    """Find out what works in `sandbox`, and report it to the web server. Returns the names. Raises
    SandboxError.

    Returns None if `seconds` passed before the end; the next call continues there. building: the machines
    that build now, besides this one.
    """
    selftest.query_versions(sandbox)
    deadline = monotonic() + seconds
    working = []
    for language in registry.all_languages():
        if monotonic() > deadline:
            return None
        if selftest.state(language, sandbox, settings.AGON_ARTIFACTS).works:
            working.append(language.slug)
    _here[:] = working
    here = settings.AGON_MACHINE
    keep((found() or {}) | {here: working})
    for slug in offer({here, *building}):
        problem = selftest.state(registry.get(slug), sandbox, settings.AGON_ARTIFACTS).problem
        log.error("the language %s is offered no longer: %s", slug, problem)
    return working


def offer(building: Collection[str]) -> list[str]:
    """Offer what works on any of the machines that build; returns what was offered, and is no longer.

    If nothing is known of these machines, nothing changes.
    """
    known = found() or {}
    working = {slug for machine in known if machine in building for slug in known[machine]}
    if not working:
        return []
    before = cache.get(OFFERED) or []
    offered = [language.slug for language in registry.all_languages() if language.slug in working]
    if offered != before:
        cache.set(OFFERED, offered, timeout=None)
    return [slug for slug in before if slug not in working]


def found_here() -> list[str]:
    """What works on this machine, as this process has found; [] if it has not looked."""
    return list(_here)


def found() -> dict[str, Sequence[str]] | None:
    """What works on each machine; None if the cache does not know, because it was emptied."""
    by_machine: dict[str, Sequence[str]] | None = cache.get(FOUND)
    return by_machine


def keep(by_machine: Mapping[str, Sequence[str]]) -> None:
    """Know this of what works on each machine."""
    cache.set(FOUND, dict(by_machine), timeout=None)


def works(slug: str) -> bool:
    """Whether bots in this language can be played; True of what is no language, and until it is known."""
    return slug in {language.slug for language in offered()} or slug not in {
        language.slug for language in registry.all_languages()
    }


def has_machine(slug: str) -> bool:
    """Whether a language is known to work on a machine that builds, or that is away and may come back."""
    by_machine = found() or {}
    return slug in (cache.get(OFFERED) or ()) or any(slug in working for working in by_machine.values())


def offered() -> list[Language]:
    """The languages that a competitor may choose from, by title."""
    working = cache.get(OFFERED)
    return [language for language in registry.all_languages() if working is None or language.slug in working]
