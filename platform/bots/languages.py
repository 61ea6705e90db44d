"""Which languages are offered: those that pass their self-test where bots are built.

The web server has no sandbox to try them in. The workers that build do (`look`), when they start and now and
then, and leave the answer in the cache. Until the first has answered every language is shown: what does not
work is then told by the build.
"""

from django.conf import settings
from django.core.cache import cache

from sandbox.api import Sandbox
from sandbox.languages import registry, states
from sandbox.languages.registry import Language

OFFERED = "languages-offered"


def look(sandbox: Sandbox) -> list[str]:
    """Find out what works in `sandbox`, and say so to the web server; the names. Raises SandboxError."""
    working = [each.language.slug for each in states.offered(sandbox, settings.AGON_ARTIFACTS) if each.works]
    cache.set(OFFERED, working, timeout=None)
    return working


def offered() -> list[Language]:
    """The languages that a competitor may choose from, by title."""
    working = cache.get(OFFERED)
    return [each for each in registry.all_languages() if working is None or each.slug in working]
