"""The sentences of all reasons that matches, builds and advice give, and reasons in English.

The command line shows them in English; the site translates them (agon.site.core.texts.reasons).
"""

from agon.advice.mistakes.texts import TEXTS as ADVICE
from agon.contest import reasons as of_matches
from games.core.reason import Reason, sentence

TEXTS = of_matches.TEXTS | ADVICE


def template_of(code: str) -> str:
    """The sentence of a code; "" if there is none, as for a game that is not installed."""
    return ADVICE.get(code) or of_matches.template_of(code)


def english(reason: Reason) -> str:
    return sentence(reason, template_of)
