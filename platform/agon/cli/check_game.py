"""`agon check-game`: checks that a game keeps the promises of every game. Exit code 1 if it does not."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any, NamedTuple

import typer

from agon.cli.arguments import GameArgument, JsonOption
from agon.cli.authors.fate_checks import fate_checks
from agon.cli.building import artifact_store
from agon.cli.game_checks import FAILED, OK, UNPLAYED, Verdict, bot_checks, playable, static_checks
from agon.cli.game_code import stdout_to_stderr
from agon.cli.output import NO_SANDBOX, CommandError, print_json
from agon.cli.resolve import find_game
from agon.cli.terminal import print_table, progress
from games.core.manifest import load, slugs
from sandbox.api import SandboxError
from sandbox.backends import open_sandbox

CHECK_FAILED = 1


class _Outcome(NamedTuple):
    """All verdicts; the name of the sandbox, if one was used; why it failed, if it did."""

    verdicts: list[Verdict]
    sandbox: str | None = None
    failure: str = ""


def check_game(game: GameArgument, json: JsonOption = False) -> None:
    began = time.monotonic()
    if game not in slugs():
        game = find_game(game).slug
    with stdout_to_stderr():
        verdicts, sandbox, failure = _check(game)
    if json:
        document = {"game": game, "sandbox": sandbox, "seconds": round(time.monotonic() - began, 3)}
        print_json(document | {"checks": list(map(_to_data, verdicts))})
    else:
        _print_verdicts(game, verdicts)
    if failure:
        raise CommandError(f"{failure}; the house bots were not played", NO_SANDBOX)
    if any(verdict.state == FAILED for verdict in verdicts):
        raise typer.Exit(CHECK_FAILED)


def _check(game: str) -> _Outcome:
    verdicts: list[Verdict] = []
    with progress() as bar:
        verdicts += bar.track(static_checks(game), description="the game")
        if not playable(verdicts):
            return _Outcome([*verdicts, UNPLAYED])
        try:
            with closing(open_sandbox(None)) as sandbox, artifact_store() as store:
                verdicts += bar.track(bot_checks(load(game), sandbox, store), description="house bots")
                if all(verdict.state == OK for verdict in verdicts if verdict.check == "fates"):
                    verdicts += bar.track(fate_checks(load(game), sandbox, store), description="fates")
                return _Outcome(verdicts, sandbox.name)
        except SandboxError as error:
            return _Outcome(verdicts, failure=str(error))


def _to_data(verdict: Verdict) -> dict[str, Any]:
    return {
        "check": verdict.check,
        "promise": verdict.promise,
        "state": verdict.state,
        "words": list(verdict.words),
    }


def _print_verdicts(game: str, verdicts: list[Verdict]) -> None:
    print_table(
        ("", "check", "promise"),
        (
            row
            for verdict in verdicts
            for row in (
                (verdict.state, verdict.check, verdict.promise),
                *(("", "", f"-> {line}") for words in verdict.words for line in words.splitlines()),
            )
        ),
    )
    failed = sum(verdict.state == FAILED for verdict in verdicts)
    print(f"\n{game}: {failed} of {len(verdicts)} checks failed" if failed else f"\n{game} passes")
