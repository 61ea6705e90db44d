"""Thresholds of a milestone as a teacher writes them: a line for each, with a share and the points for it."""

import re
from decimal import Decimal

from django.utils.translation import gettext as _

from agon.contest.text import escape_controls
from agon.teaching.beats import MOST_STEPS, Step

_LINE = re.compile(r"(\d{1,3})\s*%?[\s:;=,]+(\d{1,4}(?:[.,]\d{1,2})?)", re.ASCII)


class BadSteps(ValueError):
    """A text that is no thresholds; str(e) says why, in the reader's language."""


def parse_steps(text: str) -> tuple[Step, ...]:
    """`40 5` in one line, `60 % 7.5` in the next; none of an empty text. Raises BadSteps."""
    steps = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            parts = _LINE.fullmatch(line.strip())
            if parts is None or not 1 <= int(parts[1]) <= 100:
                words = _("Line %(line)d: expected a share and points, such as 60 8; got “%(got)s”.")
                raise BadSteps(words % {"line": number, "got": escape_controls(line.strip())[:60]})
            steps.append(Step(int(parts[1]), Decimal(parts[2].replace(",", "."))))
    if len(steps) > MOST_STEPS:
        raise BadSteps(_("Expected at most %(most)d thresholds.") % {"most": MOST_STEPS})
    return tuple(sorted(steps))


def format_steps(steps: tuple[Step, ...]) -> str:
    """The text that `parse_steps` reads as these thresholds."""
    return "\n".join(f"{step.percent} {step.points:f}" for step in steps)
