"""Bots at home: their programs run on their authors' machines, and ask here for what their bots are asked.

A program makes a connection (`POST /home-bots/{id}/line`), and asks with its number for work; each ask is
answered by `PUT`, which may be sent again. The newest connection of a bot counts.
"""

import json
import time
from typing import Any

from django.utils.translation import gettext as _
from ninja import Router
from ninja.responses import Status
from pydantic import Field

from agon.site.api import lookup, waiting
from agon.site.api.access import SUBMIT, check_competition
from agon.site.api.problems import FieldError, Problem, invalid
from agon.site.api.shapes import Shape, link
from agon.site.bots import at_home, services
from agon.site.bots.access import owns
from agon.site.bots.at_home import TakenOver
from agon.site.bots.models import Bot, HomeLine
from agon.site.bots.owners import owner_of
from agon.site.bots.refusal import Closed, Refused
from agon.site.bots.states import BotState
from agon.site.core.queue.notify import notify_now
from agon.site.matches import home_asks
from agon.site.matches.home_asks import NoSuchSeat, Place
from agon.site.matches.models import HomeAsk, Match
from agon.site.matches.states import AskState
from games.core.manifest import LONGEST_ANSWER

CHECK_EVERY = 2.0  # seconds between two looks at which connection counts
POLL_SECONDS = 0.05  # a bot at home is asked many times in a match, one after the other

router = Router(tags=["bots at home"])


class NewHomeBot(Shape):
    name: str = Field(max_length=200)
    is_open: bool | None = Field(
        None, description="Whether others may challenge it; null: as before, and not if it is new."
    )
    team: str | None = Field(None, description="Your team that a new bot is for; null: you.")


class HomeBotShape(Shape):
    id: int
    name: str
    competition: str
    state: str
    is_open: bool
    is_connected: bool
    url: str


class NewLine(Shape):
    no_clock: bool = Field(False, description="Without time limits, against house bots alone.")


class LineShape(Shape):
    """What a program has to know to run the bot."""

    line: int = Field(description="The number of this connection.")
    game: str
    channel: str
    ready_ms: int | None
    turn_ms: int
    answer_bytes: int


class AskShape(Shape):
    """step: -1 at the start of the match, which is answered by READY."""

    match: int
    attempt: int
    seat: int
    step: int
    text: str = Field(description="What the bot reads: one line or several, without the last end of a line.")
    limit_s: float = Field(description="Of the game; the site gives a little more for the line.")


class WorkShape(Shape):
    asks: list[AskShape]


class EarlierAskShape(AskShape):
    answer: str | None = Field(description="What was answered; null: nothing.")


class EarlierAsksShape(Shape):
    asks: list[EarlierAskShape] = Field(description="In the order of the steps.")


class Answer(Shape):
    line: int
    match: int
    attempt: int
    seat: int
    step: int
    text: str | None = Field(
        max_length=LONGEST_ANSWER + 1, description="One line without its end; null: the bot has ended."
    )


class TakenShape(Shape):
    repeated: bool = Field(description="Whether this answer had been taken before.")


@router.post("/competitions/{slug}/home-bots", auth=SUBMIT, response={200: HomeBotShape})
def enter(request: Any, slug: str, wanted: NewHomeBot) -> dict[str, Any]:
    """Make a bot that plays at home, or change who may challenge the one of this name."""
    competition = lookup.competition_to_change(request, slug)
    try:
        owner = owner_of(request.user, competition, wanted.name, wanted.team or "")
        bot = services.enter_at_home(owner, competition, wanted.name, request.user)
    except Closed as refused:
        raise Problem("closed", str(refused)) from None
    except Refused as refused:
        errors = [FieldError(f"/{refused.field}", str(refused))] if refused.field else []
        code = "quota" if refused.retry_after else "refused"
        raise Problem(code, str(refused), errors=errors, retry_after=refused.retry_after) from None
    if wanted.is_open is not None:
        at_home.set_open(bot.pk, wanted.is_open)
    line = HomeLine.objects.get(bot=bot)
    return HomeBotShape.from_row(
        bot,
        competition=competition.slug,
        is_open=line.is_open,
        is_connected=at_home.is_connected(line),
        url=link(bot.get_absolute_url()),
    )


@router.post("/home-bots/{id}/line", auth=SUBMIT, response=LineShape)
def connect(request: Any, id: int, wanted: NewLine) -> dict[str, Any]:
    """Begin a connection, which takes over from the bot's former one."""
    bot = _bot(request, id)
    info = bot.competition.info
    line = at_home.take_over(bot.pk, wanted.no_clock)
    notify_now(Match.Queue.HOME)
    return {
        "line": line.number,
        "game": info.slug,
        "channel": info.channel,
        "ready_ms": info.limits.ready_ms,
        "turn_ms": info.limits.turn_ms,
        "answer_bytes": info.limits.answer_bytes,
    }


@router.delete("/home-bots/{id}/line", auth=SUBMIT, response={204: None})
def disconnect(request: Any, id: int, line: int) -> Status[None]:
    """End a connection: no match is begun until there is another."""
    at_home.leave(_bot(request, id).pk, lookup.within(line))
    return Status(204, None)


@router.get("/home-bots/{id}/asks", auth=SUBMIT, response=WorkShape)
def asks(request: Any, id: int, line: int, wait: int = 0) -> Any:
    """What the bot has to answer now. wait: respond when there is something, or after that many seconds, at
    most 30.
    """
    bot = _bot(request, id)
    at_home.check(bot.pk, line)
    asks = home_asks.open_of(bot.pk)
    if wait > 0 and not asks:
        checked = time.monotonic()

        def look(is_last: bool) -> bytes | None:
            """Once another connection took over, this one ends; its next request hears why."""
            nonlocal checked
            if time.monotonic() > checked + CHECK_EVERY:
                checked = time.monotonic()
                try:
                    at_home.check(bot.pk, line)
                except (TakenOver, HomeLine.DoesNotExist):
                    is_last = True
            asks = home_asks.open_of(bot.pk)
            return json.dumps({"asks": [_ask(ask) for ask in asks]}).encode() if asks or is_last else None

        response = waiting.until(request, look, wait, POLL_SECONDS)
        if response is not None:
            return response
    return {"asks": [_ask(ask) for ask in asks]}


@router.get("/home-bots/{id}/asks/{match}", auth=SUBMIT, response=EarlierAsksShape)
def earlier_asks(request: Any, id: int, match: int, seat: int) -> dict[str, Any]:
    """What the bot was asked in a match that is being played, and what was answered: so that a program that
    was started anew can be sent the match so far.
    """
    asks = home_asks.of_bot(_bot(request, id).pk).filter(match=lookup.within(match), seat=lookup.within(seat))
    over = asks.exclude(state=AskState.OPEN)
    return {
        "asks": [
            _ask(home_ask) | {"answer": None if home_ask.answer is None else _text(home_ask.answer)}
            for home_ask in over
        ]
    }


@router.put("/home-bots/{id}/answers", auth=SUBMIT, response=TakenShape)
def answer(request: Any, id: int, given: Answer) -> dict[str, Any]:
    """Answer an ask. The same answer again is no error; one that comes too late is a conflict."""
    line = at_home.check(_bot(request, id).pk, given.line)
    if given.text is not None and "\n" in given.text:
        raise invalid("/text", _("Expected one line; got several."))
    numbers = map(lookup.within, (given.match, given.attempt, given.seat, given.step))
    text = None if given.text is None else given.text.encode()
    try:
        return {"repeated": not home_asks.take(line, Place(*numbers), text)}
    except NoSuchSeat:
        words = _("This bot has no seat %(seat)d in match %(match)d.")
        raise Problem("not_found", words % {"seat": given.seat, "match": given.match}) from None


def _bot(request: Any, id: int) -> Bot:
    """The account's bot at home. Raises Problem."""
    bot = lookup.bot(request.user, id)
    check_competition(request, bot.competition)
    if not bot.home:
        raise Problem("not_found", _("%(bot)s does not play at home.") % {"bot": bot.name})
    if not owns(request.user, bot):
        raise Problem("not_allowed", _("This is a bot of another account."))
    if bot.state != BotState.ENTERED:
        raise Problem("conflict", _("%(bot)s does not play now.") % {"bot": bot.name})
    return bot


def _ask(ask: HomeAsk) -> dict[str, Any]:
    return AskShape.from_row(
        ask,
        match=ask.match_id,
        text=_text(ask.text),
    )


def _text(line: bytes | memoryview) -> str:
    return bytes(line).decode("utf-8", "backslashreplace")
