"""What an author should do about the first fault of a program: one sentence that names a line or a step.

The sentences only explain faults that are certain already. So they may be guessed from what a program printed
and from its source, and a program that misleads them misleads its own author alone.
"""

from agon.advice.mistakes import building, endings, exceptions, moves, silence
from agon.advice.mistakes.evidence import Advice, Evidence

__all__ = ["Advice", "Evidence", "explain"]

# The first that knows the mistake.
RULES = (*building.RULES, *exceptions.RULES, *silence.RULES, *endings.RULES, *moves.RULES)


def explain(evidence: Evidence) -> Advice | None:
    """The advice for a fault or a refused build; None where nothing more helpful than its reason is known."""
    advice = next((advice for rule in RULES if (advice := rule(evidence)) is not None), None)
    if advice is not None and advice.line > len(evidence.lines):  # a program may print any number
        return advice._replace(line=0)
    return advice
