"""Similar programs of a course, for its staff: pairs, with the passages that they have in common."""

from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import render

from agon.site.courses.similar import Alike, Program, similar_programs
from agon.site.web.core import signed_in
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.courses.access import for_staff

MOST_PAIRS = 50
MOST_PASSAGES = 8  # of a pair
MOST_LINES = 60  # of a passage


class Side(NamedTuple):
    """A passage in one of two programs."""

    file: str
    first: int
    text: str


class Shown(NamedTuple):
    """A pair. left, right: percent of each program's own tokens that are in passages."""

    alike: Alike
    left: int
    right: int
    passages: list[tuple[Side, Side]]


@signed_in.page
def similar(request: SignedInRequest, slug: str) -> HttpResponse:
    """The pairs, the most alike first."""
    course = for_staff(request, slug)
    similar_pairs = similar_programs(course)
    context = {
        "course": course,
        "pairs": [_shown(alike) for alike in similar_pairs.alike[:MOST_PAIRS]],
        "more": max(len(similar_pairs.alike) - MOST_PAIRS, 0),
        "compared": similar_pairs.compared,
        "left_out": similar_pairs.left_out,
    }
    return render(request, "courses/similar.html", context)


def _shown(alike: Alike) -> Shown:
    longest = sorted(alike.pair.passages, key=lambda passage: -passage.tokens)[:MOST_PASSAGES]
    passages = [
        (
            _side(alike.left, passage.left_file, passage.left_lines),
            _side(alike.right, passage.right_file, passage.right_lines),
        )
        for passage in longest
    ]
    return Shown(alike, round(100 * alike.pair.left_share), round(100 * alike.pair.right_share), passages)


def _side(program: Program, file: str, between: tuple[int, int]) -> Side:
    first, last = between
    lines = program.files[file].split("\n")[first - 1 : min(last, first - 1 + MOST_LINES)]
    return Side(file, first, "\n".join(lines))
