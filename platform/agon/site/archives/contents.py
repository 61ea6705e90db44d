"""The contents of the archive of a tournament or a match, read from the database a few matches at a time.

Records are copied as they were stored: this site wrote them, and the results are in the database. A match of
the schedule that is missing is listed with the reason: void, withdrawn, unplayed, or played and its record
lost. Archives contain seeds, so they are made only of what is over.
"""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from agon.contest.archive.manifest import (
    LONGEST_TEXT,
    MOST_FAILED,
    Absent,
    ArchivedAct,
    Draw,
    End,
    Fared,
    Fate,
    Header,
    Why,
    origin_of,
)
from agon.contest.archive.signature import SigningKey
from agon.contest.archive.writer import About, ArchivedMatch
from agon.contest.attempts import FailedAttempt as PublicAttempt
from agon.contest.formats import SERIES, ScheduledMatch
from agon.site.archives import chain, keys
from agon.site.archives.seals import Seal
from agon.site.audit.models import Act
from agon.site.fleet import environments
from agon.site.matches import attempts, records, results
from agon.site.matches.models import FailedAttempt, Match, Seat, Stderr
from agon.site.matches.states import State
from agon.site.tournaments import draws
from agon.site.tournaments.game_rules import rules_of
from agon.site.tournaments.models import Rerun, SeedDraw, Tournament
from agon.site.tournaments.scheduling import absences, schedule_in_order
from games.core.record import SeatInfo
from games.core.wording import clip

log = logging.getLogger(__name__)
Readable = Callable[[Seat], bool]  # whether the archive may contain a seat's standard error
_FATES = {State.VOID: Fate.VOID, State.WITHDRAWN: Fate.WITHDRAWN}
_AT_ONCE = 250  # texts of standard error that are read at once
_UNPLAYED = (Fate.UNPLAYED, "")
_FARED = {
    Rerun.State.PLAYING: Fared.OPEN,
    Rerun.State.APPLIED: Fared.APPLIED,
    Rerun.State.DISCARDED: Fared.DISCARDED,
}


def tournament_header(tournament: Tournament) -> Header:
    """The header of the archive of a tournament that was started."""
    seeds = tournament.seeds
    entrants = tournament.entrants.all()
    ratings = tuple(entrant.rating for entrant in entrants)
    return Header(
        game=tournament.competition.game,
        format=tournament.format,
        rounds=tournament.rounds,
        seed=seeds.seed,
        salt=seeds.salt,
        draw=seeds.draw,
        commitment=tournament.commitment,
        points=rules_of(tournament).points.name,
        seats=tournament.seats,
        entrants=seeds.entrants,
        stopped=tuple((entrant.number, entrant.stopped) for entrant in entrants if entrant.stopped),
        format_settings=tuple(tournament.format_settings.items()),
        ratings=ratings if any(rating is not None for rating in ratings) else (),
        departures=tuple(absences(tournament)) if tournament.chosen_format.needs_results else (),
        draws=tuple(map(_draw, tournament.draws.select_related("rerun"))),
    )


def tournament_matches(tournament: Tournament) -> Iterator[ArchivedMatch | Absent]:
    """The schedule of a tournament that was started: what was played, and why the rest was not.

    What bots wrote to standard error is in it where the organizer has opened their sources.
    """
    fates = _fates_by_index(tournament)
    failed = _failed_by_index(tournament)
    drawn = draws.numbers_by_index(tournament)
    finished = with_seats(tournament.matches.filter(state=State.FINISHED).order_by("index"))
    match = next(finished, None)
    for scheduled in schedule_in_order(tournament):
        if match is not None and match.index == scheduled.index:
            drawn_from = drawn.of(scheduled.index)
            yield _archived_or_lost(match, scheduled, lambda seat: tournament.sources_open, drawn_from)
            match = next(finished, None)
        else:
            yield Absent(
                scheduled,
                *fates.get(scheduled.index, _UNPLAYED),
                tuple(failed.get(scheduled.index, [])[-MOST_FAILED:]),
            )


def about_tournament(tournament: Tournament) -> About:
    """The part of an archive about the tournament besides results: its origin, acts, and signature."""
    acts = Act.objects.filter(tournament=tournament).select_related("actor")
    key = _signing_key()
    return About(
        origin_of(
            tournament.competition.game,
            site=_site(None if key is None else key.fingerprint),
            environments=environments.of_tournament(tournament.pk),
            chain=chain.head(),
        ),
        tuple(map(archived_act, acts)),
        End.STOPPED if tournament.state == Tournament.State.CANCELLED else None,
        None if key is None else key.sign,
    )


def match_header(match: Match) -> Header:
    """The header of the archive of one finished match: a contest of its own."""
    seats = [SeatInfo(seat.name, seat.submission.digest) for seat in match.seats.all()]
    return Header(
        game=match.competition.game,
        format=SERIES,
        rounds=1,
        seed=match.seed,
        commitment=match.commitment,
        points=match.competition.info.tournament.points,
        seats=len(seats),
        entrants=tuple(dict.fromkeys(seats)),
    )


def match_contents(match: Match, header: Header, readable: Readable) -> ArchivedMatch:
    """The match as its archive contains it. Raises FileNotFoundError if its record is lost."""
    seats = [SeatInfo(seat.name, seat.submission.digest) for seat in match.seats.all()]
    scheduled = ScheduledMatch(0, 0, 0, tuple(header.entrants.index(seat_info) for seat_info in seats))
    return _archived_match(match, scheduled, readable)


def about_match(match: Match, seal: Seal | None) -> About:
    """The origin of the archive of a match, and how it is signed."""
    site = _site(None if seal is None else seal.fingerprint)
    return About(
        origin_of(match.competition.game, site=site, match=_which(match)),
        sign=None if seal is None else seal.sign,
    )


def _which(match: Match) -> dict[str, Any]:
    """Which match it is. A re-run belongs to a tournament, too, as do the matches that it replaced."""
    facts: dict[str, Any] = {
        "id": match.pk,
        "kind": match.kind,
        "date": match.ended.date().isoformat(),
        "competition": match.competition.slug,
    }
    tournament = match.tournament
    if match.kind == Match.Kind.RERUN:
        tournament = Tournament.objects.filter(
            Q(reruns__matches__old=match) | Q(reruns__matches__new=match)
        ).first()
    if tournament is not None:
        facts["tournament"] = {"id": tournament.pk, "name": tournament.name}
    return facts


def logs(tournament: Tournament) -> Iterator[bytes]:
    """What bots wrote to standard error in finished matches: a line of JSON for each seat that wrote."""
    stored = Stderr.objects.filter(seat__match__tournament=tournament, seat__match__state=State.FINISHED)
    named = stored.select_related("seat__match").only(
        "data", "seat__name", "seat__number", "seat__match__index"
    )
    for row in named.order_by("seat__match__index", "seat__number").iterator(_AT_ONCE):
        seat, written = row.seat, records.read_stderr(row.seat, row)
        text = written.data.decode(errors="replace")
        line = {"match": seat.match.index, "seat": seat.number, "bot": seat.name, "stderr": text}
        if written.lost:
            line["lost"] = written.lost
        yield json.dumps(line).encode() + b"\n"


def archived_act(act: Act) -> ArchivedAct:
    """An entry of the audit log, for the public."""
    actor = "" if act.actor is None else act.actor.shown_name
    return ArchivedAct(
        act.at.isoformat(timespec="seconds"),
        str(actor),
        act.verb,
        act.subject,
        clip(act.reason, LONGEST_TEXT),
        act.details,
    )


def with_seats(matches: QuerySet[Match]) -> Iterator[Match]:
    """Matches with all that an archive needs of them, read a few at a time."""
    complete = matches.select_related("competition", "recording").prefetch_related(
        "seats__submission", "seats__faults", "failed_attempts"
    )
    return records.of_many(complete.iterator(chunk_size=25))


def _signing_key() -> SigningKey | None:
    key = keys.signing_key()
    if key is not None:
        keys.remember(key)
    return key


def _site(fingerprint: str | None) -> dict[str, str]:
    """fingerprint: of the key that signs; None if there is no signature."""
    site = {"address": settings.SITE_URL, "name": keys.name()}
    return site if fingerprint is None else site | {"key": fingerprint, "keys": keys.address()}


def _fates_by_index(tournament: Tournament) -> dict[int, tuple[Fate, str]]:
    rows = tournament.matches.filter(state__in=_FATES).values_list("index", "state", "reason")
    return {index: (_FATES[State(state)], clip(str(why), LONGEST_TEXT)) for index, state, why in rows}


def _failed_by_index(tournament: Tournament) -> dict[int, list[PublicAttempt]]:
    """The failed attempts at matches that were not played to their ends."""
    by_index: dict[int, list[PublicAttempt]] = {}
    rows = FailedAttempt.objects.filter(match__tournament=tournament).exclude(match__state=State.FINISHED)
    for attempt in rows.select_related("match"):
        by_index.setdefault(attempt.match.index, []).append(attempts.public(attempt))
    return by_index


def _draw(draw: SeedDraw) -> Draw:
    if draw.rerun is None:
        why, state = Why.REOPENED, Fared.APPLIED
    else:
        why, state = Why.RERUN, _FARED[Rerun.State(draw.rerun.state)]
    salt = "" if draw.is_open else draw.salt
    return Draw(why, state, draw.since or 0, draw.commitment, draw.draw, salt)


def _archived_or_lost(
    match: Match, scheduled: ScheduledMatch, readable: Readable, drawn: int
) -> ArchivedMatch | Absent:
    try:
        return replace(_archived_match(match, scheduled, readable), drawn=drawn)
    except FileNotFoundError as error:
        log.error("match %s has no place in an archive: %s", match.pk, error)
        return Absent(scheduled, Fate.LOST, clip(str(error), LONGEST_TEXT))


def _archived_match(match: Match, scheduled: ScheduledMatch, readable: Readable) -> ArchivedMatch:
    seats = list(match.seats.all())
    shown = [seat for seat in seats if readable(seat)]
    stderr = dict(zip(shown, records.stderr_of(shown), strict=True))
    for written in stderr.values():
        if written.lost:
            log.error("an archive lacks what was lost: %s", written.lost)
    return ArchivedMatch(
        scheduled=scheduled,
        seed=match.seed,
        names=tuple(seat.name for seat in seats),
        result=results.result_for(match, scheduled.seats),
        record=records.record_json(match),
        times=records.times_json(match),
        stderr=tuple(stderr[seat].data if seat in stderr else b"" for seat in seats),
        files=records.files(match),
        environment=match.environment,
        failed=tuple(map(attempts.public, match.failed_attempts.all()))[-MOST_FAILED:],
    )
