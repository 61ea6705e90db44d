"""Which programs of a course are alike: the last version of each bot of each student on the roster.

What starters and house bots contain belongs to no student, and is left out. Uploads may be large, so
programs are compared by their first characters, and for a bounded time.
"""

from typing import NamedTuple

from agon.contest.text import escape_controls
from agon.site.bots.models import Submission
from agon.site.bots.sources import source_of
from agon.site.bots.states import BotState
from agon.site.courses import queries
from agon.site.courses.models import Course, Student
from agon.site.trials.starting_code import starters_of
from agon.teaching.similarity import Pair, pairs
from games.core.broken import why_broken
from games.core.manifest import starters
from sandbox.file_names import BadUpload

MOST_PROGRAMS = 400
MOST_CHARACTERS = 40_000  # of a program
MOST_TOGETHER = 1_000_000  # characters: read and scanned in some three seconds
SECONDS = 2.0  # of processor time for comparing passages


class Program(NamedTuple):
    """The last version of a bot. files: its text files by path."""

    student: Student
    version: Submission
    files: dict[str, str]


class Alike(NamedTuple):
    left: Program
    right: Program
    pair: Pair


class Found(NamedTuple):
    """compared: the number of programs; left_out: of those that are too many, or cannot be read."""

    alike: list[Alike]
    compared: int
    left_out: int


def similar_programs(course: Course) -> Found:
    """Pairs of programs of different students with passages in common, the most alike first."""
    students = {
        student.user_id: student for student in queries.students(course) if student.user_id is not None
    }
    # Of deleted bots, some programs are kept for a while, for the tournaments that they played in.
    versions = Submission.objects.exclude(bot__state=BotState.DELETED).filter(
        bot__owner__in=students,
        bot__competition__in=course.competitions.all(),
        bot__house=False,
        bot__home=False,
    )
    last = versions.order_by("bot", "-number").select_related("bot").defer("build_log")
    by_bot: dict[int, Submission] = {}
    for version in last:
        by_bot.setdefault(version.bot_id, version)
    chosen = list(by_bot.values())
    most = min(MOST_CHARACTERS, MOST_TOGETHER // max(min(len(chosen), MOST_PROGRAMS), 1))
    programs = {
        version.pk: Program(students[version.bot.owner_id], version, files)
        for version in chosen[:MOST_PROGRAMS]
        if (files := _files(version, most))
    }
    similar = pairs({pk: program.files for pk, program in programs.items()}, _known(course), SECONDS)
    alike = [Alike(programs[pair.left], programs[pair.right], pair) for pair in similar]
    others = [
        program_pair for program_pair in alike if program_pair.left.student != program_pair.right.student
    ]
    return Found(others, len(programs), len(chosen) - len(programs))


def _files(version: Submission, most: int = MOST_CHARACTERS) -> dict[str, str]:
    """The text files of a version, up to so many characters; none if it was removed or cannot be read."""
    try:
        source = source_of(version) if version.source else None
    except (OSError, ValueError, BadUpload):
        return {}
    files: dict[str, str] = {}
    left = most
    for path, data, _executable in source.files if source else ():
        try:
            text = escape_controls(
                data[: 4 * left].decode(errors="ignore" if len(data) > 4 * left else "strict")
            )
        except UnicodeDecodeError:  # no text
            continue
        files[path] = text[:left]
        left -= len(files[path])
        if left <= 0:
            break
    return files


def _known(course: Course) -> list[dict[str, str]]:
    """The programs that all students have: starters and house bots."""
    known: list[dict[str, str]] = []
    for competition in course.competitions.all():
        if not why_broken(competition.game):
            known += [
                {bot.path.name: bot.path.read_text(errors="replace")}
                for bot in starters(competition.info)
                if bot.path.is_file()
            ]
            known += [
                {f"starter.{starter.language}": starter.text} for starter in starters_of(competition.info)
            ]
        house = Submission.objects.filter(bot__competition=competition, bot__house=True).defer("build_log")
        known += [_files(version) for version in house]
    return known
