"""Shares worker time among contests: running tournaments, and judgings of milestones.

The contest whose matches took the least time lately, for its priority, is played next. So none waits until
another one is over: each has one share of the workers, a final of a higher priority several, and one that
needs less than its share is played as if it were alone. A round of a few matches is not held up by thousands
of another organizer. Among equals the rounds of formats that need results come first, since the workers have
nothing else of them to play until they are over. The matches of a tournament that are run again have a share
of their own, and so has each judging of a milestone of a course.

A tournament that began with another version of its game than is installed waits until that is back.

"Lately" is WINDOW: long enough for several matches, short enough that what a contest took before the others
began does not count against it for long.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Count, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from agon.contest.formats import FORMATS
from agon.site.core.db.leases import now
from agon.site.matches.models import Match
from games.core.broken import working_games

WINDOW = timedelta(seconds=20)
HAVE_SHARES = Q(tournament__isnull=False) | Q(kind__in=[Match.Kind.RERUN, Match.Kind.ASSESSMENT])


class Key(NamedTuple):
    """A contest: a tournament, the matches of it that are run again, or a judging. kind: of its matches."""

    kind: str
    number: int


class Share(NamedTuple):
    """What decides when a contest is next.

    seconds: worker time within WINDOW, running matches included. priority: how many shares it has.
    is_adaptive: whether its rounds follow from results. oldest: the number of its match that is next.
    """

    key: Key
    seconds: float
    priority: int
    is_adaptive: bool
    oldest: int


def in_turn(shares: Iterable[Share]) -> list[Share]:
    """The contests in the order in which they are to be played now."""
    return sorted(
        shares, key=lambda share: (share.seconds / share.priority, not share.is_adaptive, share.oldest)
    )


def of_contests(queued: QuerySet[Match]) -> Iterator[QuerySet[Match]]:
    """Those of the queued matches that are of a contest, by contest, the one that is next first."""
    shares = _waiting()
    if len(shares) > 1:
        shares = in_turn(_with_seconds(shares))
    for share in shares:
        yield queued.filter(_belongs_to(share.key)).order_by("id")


def ahead_of(match: Match, queued: QuerySet[Match]) -> int:
    """About how many of the queued matches are played before this one of a contest.

    While those of its own contest are played, each other one has as many, for its priority.
    """
    key = _key_of(match)
    own = queued.filter(_belongs_to(key), pk__lt=match.pk).count()
    rows = _keyed(queued).order_by().values_list("kind", "contest", "priority").annotate(waiting=Count("id"))
    shares: dict[Key, tuple[int, int]] = {
        Key(kind, contest): (priority, waiting) for kind, contest, priority, waiting in rows
    }
    mine, _ = shares.pop(key, (1, 0))
    return sum((min(waiting, own * priority // mine) for priority, waiting in shares.values()), own)


def is_of_another_version(match: Match) -> bool:
    """Whether its tournament began with another version of the game than is installed."""
    tournament = match.rerun.rerun.tournament if match.kind == Match.Kind.RERUN else match.tournament
    return tournament is not None and tournament.game_version not in ("", match.competition.info.version)


def _belongs_to(key: Key) -> Q:
    if key.kind == Match.Kind.RERUN:
        return Q(kind=Match.Kind.RERUN, rerun__rerun__tournament=key.number)
    if key.kind == Match.Kind.ASSESSMENT:
        return Q(kind=Match.Kind.ASSESSMENT, assessment__judging=key.number)
    return Q(tournament=key.number)


# The contest of each match. As SQL, because every claim asks this, and Django takes longer to compose it than
# the database to answer.
_CONTESTS = """
    LEFT JOIN tournaments_rerunmatch AS again ON again.new_id = played.id
    LEFT JOIN tournaments_rerun AS rerun ON rerun.id = again.rerun_id
    LEFT JOIN tournaments_tournament AS tournament
        ON tournament.id = COALESCE(played.tournament_id, rerun.tournament_id)
    LEFT JOIN courses_assessment AS assessment ON assessment.id = played.assessment_id
"""
# Of a tournament, all queued matches are of one game, and the oldest stands for them: it is the first in an
# index (match_queued_of_tournament). A GROUP BY reads all of them, which takes 15 ms of each claim at 15,000.
_WAITING = f"""
    SELECT
        'tournament', tournament.id, tournament.priority, tournament.format, tournament.game_version,
        competition.game, tournament.oldest
    FROM (
        SELECT id, priority, format, game_version, competition_id, (
            SELECT min(id) FROM matches_match
            WHERE state = 'queued' AND tournament_id = tournaments_tournament.id
        ) AS oldest
        FROM tournaments_tournament WHERE state = 'running'
    ) AS tournament
    JOIN competitions_competition AS competition ON competition.id = tournament.competition_id
    WHERE tournament.oldest IS NOT NULL
    UNION ALL
    SELECT
        played.kind, COALESCE(tournament.id, assessment.judging_id), COALESCE(tournament.priority, 1),
        COALESCE(tournament.format, ''), COALESCE(tournament.game_version, ''),
        competition.game, min(played.id)
    FROM matches_match AS played
    JOIN competitions_competition AS competition ON competition.id = played.competition_id
    {_CONTESTS}
    WHERE
        played.state = 'queued' AND played.tournament_id IS NULL AND played.kind IN ('rerun', 'assessment')
    GROUP BY 1, 2, 3, 4, 5, 6
"""
# The worker time of each contest: that of its matches since a time, and of its running ones until another.
# Those that a worker claimed together began at once, and are played one after the other.
_USED = f"""
    SELECT kind, contest, sum(seconds)
    FROM (
        SELECT
            played.kind AS kind, COALESCE(tournament.id, assessment.judging_id) AS contest,
            sum(played.seconds) AS seconds
        FROM matches_match AS played {_CONTESTS}
        WHERE
            played.state = 'finished' AND played.kind IN ('tournament', 'rerun', 'assessment')
            AND played.finished_at > %s
        GROUP BY 1, 2
        UNION ALL
        SELECT played.kind, COALESCE(tournament.id, assessment.judging_id), {{seconds_until}}
        FROM matches_match AS played {_CONTESTS}
        WHERE played.state = 'running' AND played.kind IN ('tournament', 'rerun', 'assessment')
        GROUP BY 1, 2, played.worker
    ) AS used
    GROUP BY 1, 2
"""
_SECONDS_UNTIL = {
    "postgresql": "EXTRACT(EPOCH FROM %s - min(played.started))",
    "sqlite": "(julianday(%s) - julianday(min(played.started))) * 86400",
}


def _waiting() -> list[Share]:
    """A share for each contest with queued matches that can be played, without the seconds."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING)
        rows = cursor.fetchall()
    versions = {info.slug: info.version for info in working_games()}
    return [
        Share(Key(kind, contest), 0.0, priority, bool(format) and FORMATS[format].needs_results, oldest)
        for kind, contest, priority, format, version, game, oldest in rows
        if game in versions and version in ("", versions[game])
    ]


def _with_seconds(shares: Sequence[Share]) -> list[Share]:
    time = now()
    since, until = map(connection.ops.adapt_datetimefield_value, (time - WINDOW, time))
    with connection.cursor() as cursor:
        cursor.execute(_USED.format(seconds_until=_SECONDS_UNTIL[connection.vendor]), [since, until])
        used = {Key(kind, contest): float(seconds or 0) for kind, contest, seconds in cursor.fetchall()}
    return [share._replace(seconds=used.get(share.key, 0.0)) for share in shares]


def _key_of(match: Match) -> Key:
    if match.assessment is not None:
        return Key(match.kind, match.assessment.judging_id)
    return Key(match.kind, match.tournament_id or match.rerun.rerun.tournament_id)


def _keyed(matches: QuerySet[Match]) -> QuerySet[Any]:
    again = "rerun__rerun__tournament"
    return matches.filter(HAVE_SHARES).annotate(
        contest=Coalesce("tournament", again, "assessment__judging"),
        priority=Coalesce("tournament__priority", f"{again}__priority", Value(1)),
    )
