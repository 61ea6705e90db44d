"""What bots at home are asked, and what they answer: rows between the worker that plays and the API.

Theory of operation.

- Processes: the worker of the queue `home` writes a row for each ask and waits for it to be answered. A web
  process reads the open rows of a bot, and writes the answer (agon.site.api.home).
- Trust: an answer is bytes for the arena, no more. It names the match, the attempt, the seat and the step.
- Failure: a row is answered once, by a transition from `open`, whatever is sent how often. The same answer
  again is no error, because its sender may not have heard of the first one. An answer to a row that was
  closed is refused, and so is one to another attempt: the match was begun again with another seed. Rows are
  kept for a day, without what was asked.
"""

from datetime import timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from agon.site.bots.models import HomeLine
from agon.site.core.db.leases import now
from agon.site.core.db.transitions import move_all
from agon.site.matches.models import HomeAsk, Match, Seat
from agon.site.matches.states import ANSWER, CLOSE, GOING_ON, AskState, State

KEPT_FOR = timedelta(days=1)


class Place(NamedTuple):
    """What an answer is for."""

    match: int
    attempt: int
    seat: int
    step: int


class NoSuchSeat(Exception):
    """The bot has no such seat in that match."""


class NotTaken(Exception):
    """An answer is not taken; str(e) says why, in the reader's language."""


class BegunAgain(NotTaken):
    """The answer is for an attempt that has ended, as when the worker died. The match is played anew."""


def of_bot(bot: int) -> QuerySet[HomeAsk]:
    """What a bot at home has been asked in the matches that are being played, in the order of the steps."""
    theirs = HomeAsk.objects.filter(
        match__seats__submission__bot=bot, match__seats__number=F("seat"), attempt=F("match__attempt")
    )
    return theirs.filter(match__state=State.RUNNING).order_by("match", "seat", "step")


def open_of(bot: int) -> list[HomeAsk]:
    """What it has to answer now."""
    return list(of_bot(bot).filter(state=AskState.OPEN))


def put(match: Match, seat: int, step: int, text: bytes, limit_s: float) -> HomeAsk:
    return HomeAsk.objects.create(
        match=match, attempt=match.attempt, seat=seat, step=step, text=text, limit_s=limit_s
    )


@transaction.atomic
def take(line: HomeLine, place: Place, answer: bytes | None) -> bool:
    """Take an answer; False if it was taken before. Raises NoSuchSeat, NotTaken."""
    match, attempt, seat, step = place
    played = Match.objects.filter(pk=match).first()
    theirs = Seat.objects.filter(match=match, number=seat, submission__bot=line.bot_id)
    if played is None or not theirs.exists():
        raise NoSuchSeat
    row = HomeAsk.objects.filter(match=match, attempt=attempt, seat=seat, step=step)
    home_ask = row.select_for_update(no_key=True).first()
    is_here = played.state == State.RUNNING and played.attempt == attempt
    if home_ask is not None and home_ask.state == AskState.OPEN and is_here:
        home_ask.move_locked(ANSWER, answer=answer)
        return True
    if home_ask is not None and home_ask.state == AskState.ANSWERED:
        before = None if home_ask.answer is None else bytes(home_ask.answer)
        if before == answer:
            return False
        raise NotTaken(_("Step %(step)d was answered before, otherwise.") % {"step": step})
    if not is_here and played.state in GOING_ON:
        raise BegunAgain(
            _("Match %(match)d was begun again: this answer is for an earlier attempt.") % {"match": match}
        )
    if home_ask is not None and played.state in (State.RUNNING, State.FINISHED):
        raise NotTaken(
            _("Too late: the match has gone on without an answer to step %(step)d.") % {"step": step}
        )
    if is_here:
        raise NotTaken(_("Step %(step)d has not been asked.") % {"step": step})
    raise NotTaken(_("Match %(match)d is not being played.") % {"match": match})


def close(ask: HomeAsk) -> bool:
    """Wait no longer for an answer; False if it has come."""
    return bool(move_all(HomeAsk.objects.filter(pk=ask.pk), CLOSE))


def end(match: Match) -> None:
    """This attempt at the match has ended: nothing of it is waited for. A later one may have begun."""
    rows = HomeAsk.objects.filter(match=match, attempt=match.attempt)
    move_all(rows, CLOSE)
    rows.update(text=b"")


def forget() -> None:
    """Delete old rows. Called by the sweeper."""
    old = HomeAsk.objects.filter(created__lt=now() - KEPT_FOR).exclude(match__state=State.RUNNING)
    if old.exists():  # a read does not block SQLite's one writer
        old.delete()
