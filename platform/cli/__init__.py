"""The command line, `agon`: one module a command, with a function of its name (`agon new-game`: new_game).

Commands need no database and no settings. Their modules import what is heavy inside the functions, so that
`agon games` answers at once. A command ends in one of three ways: it returns (exit code 0), it raises `Stop`
with words and an exit code, or click finds the arguments wrong (exit code 2).
"""

from __future__ import annotations

import sys
from importlib import import_module

import typer

COMMANDS = ("games", "play", "tournament", "verify", "new_game", "check_game", "doctor", "serve")


def main() -> None:
    """The console script. Never shows a traceback, but under `python -X dev`."""
    from cli.output import BAD_ARGUMENTS, Stop, say
    from games.core.toml_fields import BadManifest

    try:
        application()(prog_name="agon")
    except Stop as stop:
        say(str(stop))
        sys.exit(stop.code)
    except BadManifest as error:  # a game that somebody is still writing
        say(str(error))
        sys.exit(BAD_ARGUMENTS)
    except BrokenPipeError:  # `agon ... | head`
        sys.stderr.close()
        sys.exit(0)
    except KeyboardInterrupt:
        say("stopped")
        sys.exit(130)
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        say(f"a fault in Agon itself: {type(error).__name__}: {error} (python -X dev -m cli shows where)")
        sys.exit(1)


def application() -> typer.Typer:
    """All commands, in the order of COMMANDS."""
    app = typer.Typer(
        help="Bot competitions: play, run tournaments, verify archives, write games.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    for name in COMMANDS:
        app.command(name.replace("_", "-"))(getattr(import_module(f"cli.{name}"), name))
    return app
