"""`agon connect`: a bot that runs here plays matches of a site, which are unrated."""

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Annotated, NoReturn

import typer

from agon.cli.challenge import bot_called
from agon.cli.home_bot import HomeBot, command_of
from agon.cli.output import CommandError, say, show
from agon.cli.sites import FAILED, SiteOption, chosen_site
from agon.client import Ask, Challenge, Line, Site, SiteError

WAIT = 20  # seconds for which the site may hold a request for work
WAIT_FOR_END = 3  # the same, while a challenge that this command has started goes on
SHORTEST_WAIT, LONGEST_WAIT = 0.05, 0.8  # seconds, between two requests that a site answers at once
AGAIN = ("unreachable", "unavailable", "too_many_requests", "internal_error", "no_site")
PAUSE = 2.0  # seconds before a line that is lost is tried again


def connect(
    bot: Annotated[
        list[str],
        typer.Argument(metavar="BOT...", help="A file, or a command line; after -- if it has options."),
    ],
    name: Annotated[str, typer.Option("--bot", metavar="NAME", help="What the bot is called on the site.")],
    competition: Annotated[
        str | None,
        typer.Option("--competition", metavar="COMPETITION", help="Where to make it, if it is new."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="OPPONENT",
            help="Challenge this bot, and end when that is over; if ended earlier, cancel it.",
        ),
    ] = None,
    matches: Annotated[int, typer.Option("--matches", min=1, metavar="N", help="With --against.")] = 1,
    no_clock: Annotated[
        bool,
        typer.Option("--no-clock", help="No time limits but an hour a match: against house bots."),
    ] = False,
    is_open: Annotated[
        bool | None,
        typer.Option("--open/--closed", help="Whether others may challenge it. Default: as before."),
    ] = None,
    site: SiteOption = None,
) -> None:
    # `_serve` is patient itself.
    with _unwinding_at_signals(), chosen_site(site, patience=0) as client, ExitStack() as at_end:
        number, where = _bot(client, name, competition, is_open)
        line = client.connect_home_bot(number, no_clock)
        at_end.callback(client.disconnect_home_bot, number, line["line"])
        command = command_of(bot, line, at_end)
        made = _challenge(client, where, number, against or [], matches)
        say(f"{name} plays at home, on line {line['line']}; Ctrl-C ends it")
        with _cancelling(client, made):
            is_lost = _serve(client, number, line, HomeBot(command, line), made)
    if is_lost:
        raise typer.Exit(FAILED)


@contextmanager
def _cancelling(site: Site, made: Challenge | None) -> Iterator[None]:
    """Cancel the challenge if the block is interrupted or fails: its matches would wait a day for the bot."""
    try:
        yield
    except BaseException:
        if made is not None:
            with suppress(SiteError):  # it may be over by now
                site.cancel_challenge(made["id"])
        raise


@contextmanager
def _unwinding_at_signals() -> Iterator[None]:
    """Within the block, end the bot and the line also if this command is ended, or its terminal is closed.

    The bot has a session of its own, so it gets no signal of the terminal. What nohup ignores stays ignored.
    """

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    heard = [number for number, handler in before.items() if handler != signal.SIG_IGN]
    for number in heard:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])


def _bot(site: Site, name: str, competition: str | None, is_open: bool | None) -> tuple[int, str]:
    """The number of the bot, which is made if it is new, and its competition."""
    if competition is None:
        own = [bot for bot in site.bots() if bot["home"] and bot["name"] == name]
        if len(own) != 1:
            how_many = "several bots" if own else "no bot"
            raise CommandError(f"you have {how_many} called {name} at home: say where with --competition")
        competition = own[0]["competition"]
    made = site.home_bot(competition, name, is_open)
    show(made["url"])
    return made["id"], competition


def _challenge(site: Site, competition: str, own: int, names: list[str], matches: int) -> Challenge | None:
    if not names:
        return None
    bots = list(site.bots_of(competition))
    numbers = [bot_called(name, bots, competition)["id"] for name in names]
    return site.challenge(competition, [own, *numbers], matches)


def _serve(site: Site, number: int, line: Line, bot: HomeBot, made: Challenge | None) -> bool:
    """Answer asks until the challenge is over, if there is one; whether it was cancelled."""
    pause = SHORTEST_WAIT
    with bot:
        while made is None or not made["is_over"]:
            began = time.monotonic()
            try:
                asks = site.home_asks(number, line["line"], WAIT if made is None else WAIT_FOR_END)
                for ask in asks:
                    _answer(site, number, line["line"], bot, ask)
                if made is not None and not asks:
                    made = site.challenge_so_far(made["id"])
                # A site where too many requests wait answers at once.
                pause = SHORTEST_WAIT if asks else min(2 * pause, LONGEST_WAIT)
                if not asks:
                    time.sleep(max(0.0, pause - (time.monotonic() - began)))
            except SiteError as error:
                if error.code not in AGAIN:
                    raise
                say(f"{error}; trying again")
                time.sleep(error.retry_after or PAUSE)
    show(f"{made['state']}: {made['won']} won, {made['drawn']} drawn, {made['lost']} lost   {made['url']}")
    return made["state"] == "cancelled"


def _answer(site: Site, number: int, line: int, bot: HomeBot, ask: Ask) -> None:
    if not bot.knows(ask):
        again = f", begun again: attempt {ask['attempt']}" if ask["attempt"] > 1 else ""
        say(f"match {ask['match']}, seat {ask['seat'] + 1}{again}")
        bot.start(ask, site.earlier_asks(number, ask["match"], ask["seat"]) if ask["step"] > 0 else [])

    def is_waited_for() -> bool:
        """Asked while the bot thinks; so the site also learns that it is there."""
        try:
            return _place(ask) in map(_place, site.home_asks(number, line, 0))
        except SiteError as error:
            if error.code not in AGAIN:
                raise
            return True

    text = bot.answer(ask, is_waited_for)
    while True:
        try:
            site.answer_home(number, {"line": line, "text": text, **_place(ask)})
            return
        except SiteError as error:
            if error.code == "begun_again":  # the site asks everything anew, from the start
                return
            if error.code == "conflict":  # it was too late, or the match is over
                say(str(error))
                return
            if error.code not in AGAIN:
                raise
            say(f"{error}; trying again")
            time.sleep(error.retry_after or PAUSE)


def _place(ask: Ask) -> dict[str, int]:
    return {"match": ask["match"], "attempt": ask["attempt"], "seat": ask["seat"], "step": ask["step"]}
