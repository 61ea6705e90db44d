"""Which languages are offered: those that pass their self-test where bots are built.

The web server has no sandbox to try them in. The workers that build do (`look`), when they start and now and
then, and leave the answer in the cache. All self-tests together take half a minute where every language is
there, so they are made a few at a time, with builds in between. Until the first answer every language is
shown: what does not work is then told by the build.
"""

import math
from time import monotonic

from django.conf import settings
from django.core.cache import cache

from sandbox.api import Sandbox
from sandbox.building import selftest
from sandbox.languages import registry
from sandbox.languages.registry import Language

OFFERED = "languages-offered"


def look(sandbox: Sandbox, seconds: float = math.inf) -> list[str] | None:
    """Find out what works in `sandbox`, and say so to the web server; the names. Raises SandboxError.

    None: after `seconds` there was more to do. The next call goes on from there.
    """
    selftest.query_versions(sandbox)
    deadline = monotonic() + seconds
    working = []
    for language in registry.all_languages():
        if monotonic() > deadline:
            return None
        if selftest.state(language, sandbox, settings.AGON_ARTIFACTS).works:
            working.append(language.slug)
    cache.set(OFFERED, working, timeout=None)
    return working


def offered() -> list[Language]:
    """The languages that a competitor may choose from, by title."""
    working = cache.get(OFFERED)
    return [each for each in registry.all_languages() if working is None or each.slug in working]
