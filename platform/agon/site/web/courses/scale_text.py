"""The scale of grades as a teacher writes it: a line a grade, with the points that it takes."""

import re
from decimal import Decimal
from itertools import pairwise

from django.utils.translation import gettext as _

from agon.contest.text import escape_controls
from agon.teaching.grading import BadScale, Scale, Threshold

MOST_GRADES = 50
LONGEST_GRADE = 20  # characters
# Digits, and no exponent: written out, a number such as 1e-999999999 is longer than the memory.
_POINTS = re.compile(r"[0-9]{1,7}(?:[.,][0-9]{1,6})?")


def parse_scale(text: str) -> Scale:
    """`90 A` in one line, `75.5 B` in the next; an empty text for no grades. Raises BadScale."""
    thresholds = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            thresholds.append(_threshold(number, line.split(None, 1)))
    if len(thresholds) > MOST_GRADES:
        raise BadScale(_("Expected at most %(most)d grades.") % {"most": MOST_GRADES})
    thresholds.sort(key=lambda threshold: -threshold.points)
    for better, worse in pairwise(thresholds):
        if better.points == worse.points:
            values = {"first": better.grade, "second": worse.grade}
            raise BadScale(_("%(first)s and %(second)s take the same points.") % values)
    return Scale(tuple(thresholds))


def format_scale(scale: Scale) -> str:
    """The text that `parse_scale` reads as this scale."""
    return "\n".join(f"{threshold.points:f} {threshold.grade}" for threshold in scale.thresholds)


def _threshold(number: int, parts: list[str]) -> Threshold:
    words = _("Line %(line)d: expected points and a grade, such as 90 A; got “%(got)s”.")
    got = escape_controls(" ".join(parts))[:60]
    bad = BadScale(words % {"line": number, "got": got})
    if len(parts) < 2 or escape_controls(parts[1]) != parts[1] or len(parts[1].strip()) > LONGEST_GRADE:
        raise bad
    if not _POINTS.fullmatch(parts[0]):
        raise bad
    return Threshold(Decimal(parts[0].replace(",", ".")), parts[1].strip())
