"""Charts of a bot, and their data as CSV: rating over time, time used, faults of its versions."""

from collections.abc import Sequence
from datetime import UTC, datetime

from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from agon.site.bots.models import Bot, Submission
from agon.site.core.texts import numbers
from agon.site.leaderboards.models import Rating, RatingPoint
from agon.site.use_cases.insight import BINS, Insight
from agon.site.web.core.charts import Bar, Point, Series, bars, lines
from agon.site.web.core.tables import as_csv

MOST_VERSIONS = 8  # the newest: charts have as many colors
Row = Sequence[object]


def rating_curve(bot: Bot, versions: Sequence[Submission]) -> SafeString:
    """The ratings of the newest versions with their 95 % bands; "" if there is no curve yet."""
    shown = list(reversed(versions[:MOST_VERSIONS]))
    points = _points(shown)
    series = [
        Series(_("version %(number)s") % {"number": submission.number}, points[submission.pk])
        for submission in shown
    ]
    if all(len(line.points) < 2 for line in series):
        return SafeString("")
    return lines(
        _("Rating of %(bot)s") % {"bot": bot.name},
        _("The rating of each version over time, with its interval as a band."),
        series,
        _clock if _is_one_day(series) else _day,
        lambda rating: f"{rating:.0f}",
    )


def time_used(insight: Insight) -> SafeString:
    """A histogram of matches by the share of the time limit that the slowest answer took."""
    return bars(
        _("Time used"),
        _("The number of matches by how much of the time limit the slowest answer took."),
        [
            Bar(_edge(place), number, f"{_range(place)}: {number}")
            for place, number in enumerate(insight.times)
        ],
        lambda matches: f"{matches:g}",
    )


def faults_by_version(versions: Sequence[Submission]) -> SafeString:
    """Faults per hundred rated matches, by version."""
    return bars(
        _("Faults by version"),
        _("The number of faults in a hundred rated matches, for each version."),
        [
            Bar(
                str(submission.number), round(rate, 1), f"{submission.number}: {numbers.decimal(rate, '.1f')}"
            )
            for submission, rate in fault_rates(versions)
        ],
        lambda faults: numbers.decimal(faults, "g"),
    )


def fault_rates(versions: Sequence[Submission]) -> list[tuple[Submission, float]]:
    """Faults per hundred matches of the versions that have played, the oldest first."""
    played = [version for version in reversed(versions) if version.rated.rating.played]
    return [
        (submission, 100 * submission.rated.rating.faults / submission.rated.rating.played)
        for submission in played
    ]


def ratings_csv(versions: Sequence[Submission]) -> str:
    """The past ratings of each version with their 95 % intervals, as CSV, oldest version first."""
    points = _points(versions)
    rows = (
        (version.number, _moment(point.x), point.y, point.low, point.high)
        for version in reversed(versions)
        for point in points[version.pk]
    )
    return as_csv([("version", "time", "rating", "low", "high"), *rows])


def times_csv(insight: Insight) -> str:
    """The histogram of `time_used`, as CSV."""
    rows = ((place / BINS, number) for place, number in enumerate(insight.times))
    return as_csv([("share_of_limit_from", "matches"), *rows])


def faults_csv(versions: Sequence[Submission]) -> str:
    """The numbers of matches and faults of each version, as CSV, oldest version first."""
    ratings = [(version.number, version.rated.rating) for version in reversed(versions)]
    rows = [(number, rating.played, rating.faults) for number, rating in ratings]
    return as_csv([("version", "matches", "faults"), *rows])


def _points(versions: Sequence[Submission]) -> dict[int, list[Point]]:
    """The stored points of each version's rating, and the current value, by the version's key."""
    stored: dict[int, list[Point]] = {version.rated.rating_id: [] for version in versions}
    rows = RatingPoint.objects.filter(rating__in=list(stored)).order_by("at")
    for rating, at, value, low, high in rows.values_list("rating", "at", "value", "low", "high"):
        stored[rating].append(Point(at.timestamp(), value, low, high))
    return {
        version.pk: _with_latest(stored[version.rated.rating_id], version.rated.rating)
        for version in versions
    }


def _with_latest(points: list[Point], rating: Rating) -> list[Point]:
    """The stored points, and the current value where it is newer."""
    if rating.seated is None or (points and rating.seated.timestamp() <= points[-1].x):
        return points
    return [*points, Point(rating.seated.timestamp(), rating.rating, rating.low, rating.high)]


def _day(seconds: float) -> SafeString:
    return _local(seconds, "date", date_format(datetime.fromtimestamp(seconds, UTC), "SHORT_DATE_FORMAT"))


def _clock(seconds: float) -> SafeString:
    utc = date_format(datetime.fromtimestamp(seconds, UTC), "TIME_FORMAT")
    return _local(seconds, "minute", f"{utc} UTC")


def _local(seconds: float, style: str, text: str) -> SafeString:
    """A time for a chart, which static/js/page.js converts like those of the page."""
    return format_html('<tspan data-local="{}" data-moment="{}">{}</tspan>', style, _moment(seconds), text)


def _is_one_day(series: Sequence[Series]) -> bool:
    return len({_moment(point.x)[:10] for line in series for point in line.points}) == 1


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _edge(place: int) -> str:
    """The label of every fifth bar."""
    return numbers.percent(100 * place // BINS) if place % (BINS // 4) == 0 else ""


def _range(place: int) -> str:
    if place == BINS:
        return _("%(percent)s %% or more") % {"percent": 100}
    return numbers.percent(f"{100 * place // BINS}–{100 * (place + 1) // BINS}")
