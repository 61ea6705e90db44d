"""What a competition's export says of people and results, if its organizer wants that: competitions/past.py.

Only what everyone may see is public in it: the leaderboard, and tournaments that are over and released to
everyone, with the names that pages show. A course is in it for its staff alone, as a private table with names
and points. House bots are left out, so a competition without people has no table.
"""

from collections.abc import Iterable

from django.conf import settings

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.competitions.past import Table, cell, tables_of
from agon.site.courses import queries
from agon.site.courses.milestones import scale_of
from agon.site.courses.models import Course
from agon.site.courses.progress import progress_of, rows_of
from agon.site.leaderboards import table as leaderboard
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.standings import current_standings
from agon.site.tournaments.states import State


def people_and_results(competition: Competition, by: User) -> list[Table]:
    """What was imported, and then what is here. by: who exports it."""
    over = competition.tournaments.filter(state=State.FINISHED, release=Tournament.Release.PUBLIC)
    courses = [
        course for course in competition.courses.order_by("pk") if queries.role_in(course, by) is not None
    ]
    here = [
        _ladder(competition),
        *(_standings(tournament) for tournament in over.order_by("pk")),
        *map(_course, courses),
    ]
    return [*tables_of(competition), *(table for table in here if table.rows)]


def _ladder(competition: Competition) -> Table:
    columns = ("rank", "bot", "author", "rating", "low", "high", "played", "won", "drawn")
    rows = [
        [
            *(row.rank, row.bot, row.author),
            *(f"{number:.1f}" for number in (row.rating, row.low, row.high)),
            *(row.played, row.won, row.drawn),
        ]
        for row in leaderboard.rows(competition)
        if not row.house
    ]
    return _table("Leaderboard", columns, rows)


def _standings(tournament: Tournament) -> Table:
    """Without the house bots, which keep their ranks."""
    columns = ("rank", "bot", "author", "points", "played", "won", "drawn", "disqualified")
    entrants = tournament.entrants.filter(bot__house=False).select_related("bot__owner")
    authors = {entrant.number: entrant.bot.owner.shown_name for entrant in entrants}
    rows = [
        [
            *(row.rank, row.bot, authors[row.entrant], row.points, row.played, row.won, row.drawn),
            "yes" if row.disqualified else "",
        ]
        for row in current_standings(tournament)
        if row.entrant in authors
    ]
    return _table(f"Tournament: {tournament.name}", columns, rows)


def _course(course: Course) -> Table:
    milestones = list(course.milestones.all())
    titles = [milestone.title for milestone in milestones]
    progress_rows = progress_of(course, queries.students(course), milestones)
    scale = scale_of(course)
    rows = [
        [
            *(row.number, row.name, row.email, row.group, _account(progress.student.user)),
            *("" if points is None else f"{points:f}" for points in row.points),
            *(f"{row.total:f}", scale.grade(row.total)),
        ]
        for progress, row in zip(progress_rows, rows_of(progress_rows), strict=True)
    ]
    columns = ("id", "name", "email", "group", "account", *titles, "total", "grade")
    return _table(f"Course: {course.title}", columns, rows, is_private=True)


def _account(user: User | None) -> str:
    return user.shown_name if user else ""


def _table(
    title: str, columns: Iterable[object], rows: Iterable[Iterable[object]], *, is_private: bool = False
) -> Table:
    return Table(
        cell(title),
        cell(settings.SITE_URL),
        tuple(map(cell, columns)),
        tuple(tuple(map(cell, row)) for row in rows),
        is_private,
    )
