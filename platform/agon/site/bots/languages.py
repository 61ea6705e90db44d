"""Which languages are offered: those that pass their self-test where bots are built.

The web server has no sandbox to test them in. Workers that build do so (`probe`), at their start and
periodically, and put the answer into the cache. With every language installed, all self-tests together
take half a minute, so they run a few at a time, with builds in between. Until the first answer every
language is offered; what does not work is then reported by the build.
"""

import logging
import math
from time import monotonic

from django.conf import settings
from django.core.cache import cache

from sandbox.api import Sandbox
from sandbox.building import selftest
from sandbox.languages import registry
from sandbox.languages.registry import Language

OFFERED = "languages-offered"

log = logging.getLogger(__name__)


def probe(sandbox: Sandbox, seconds: float = math.inf) -> list[str] | None:
    """Find out what works in `sandbox`, and report it to the web server. Returns the names. Raises
    SandboxError.

    Returns None if `seconds` passed before the end; the next call continues there.
    """
    selftest.query_versions(sandbox)
    deadline = monotonic() + seconds
    working = []
    for language in registry.all_languages():
        if monotonic() > deadline:
            return None
        if selftest.state(language, sandbox, settings.AGON_ARTIFACTS).works:
            working.append(language.slug)
    for slug in cache.get(OFFERED) or ():
        if slug not in working:
            problem = selftest.state(registry.get(slug), sandbox, settings.AGON_ARTIFACTS).problem
            log.error("the language %s is offered no longer: %s", slug, problem)
    cache.set(OFFERED, working, timeout=None)
    return working


def works(slug: str) -> bool:
    """Whether bots in this language can be played; True of what is no language, and until it is known."""
    return slug in {language.slug for language in offered()} or slug not in {
        language.slug for language in registry.all_languages()
    }


def is_offered(slug: str) -> bool:
    """Whether a language is known to have passed its self-test where bots are built."""
    return slug in (cache.get(OFFERED) or ())


def offered() -> list[Language]:
    """The languages that a competitor may choose from, by title."""
    working = cache.get(OFFERED)
    return [language for language in registry.all_languages() if working is None or language.slug in working]
