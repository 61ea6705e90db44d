"""The program `agon`: one module per command, with a function of its name.

A hyphen is an underscore there (new_game: `agon new-game`), and a keyword of Python ends with one (try_).

Only the module of the command that was asked for is imported: the sandbox or the archives cost more time
than `agon games` takes. A command ends in one of three ways: it returns (exit code 0), it raises
CommandError with a message and an exit code, or click rejects the arguments (exit code 2).
"""

import errno
import sys
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Annotated

import typer

from agon import __version__
from agon.cli.examples import epilog_of
from agon.cli.output import (
    BAD_ARGUMENTS,
    INTERNAL_ERROR,
    INTERRUPTED,
    CommandError,
    OutputFull,
    flush_output,
    prepare_output,
    put,
    report_full,
    say,
)
from games.core.toml_fields import BadManifest

COMMANDS = {
    "games": "List the games.",
    "play": "Play matches between bots in a sandbox, seated in the order given.",
    "tournament": "Play a tournament between bots in a sandbox. The results do not depend on --jobs.",
    "compare": "Play two versions of a bot until one is better, or no difference matters. Exits with 1 if"
    " NEW is worse, otherwise with 0, undecided included.",
    "verify": "Check digests and replay every match without bots. Exits with 1 if anything differs.",
    "new-game": "Create a small working game in games/SLUG (or $AGON_GAMES/SLUG) to start from, or one that a"
    " library plays.",
    "check-game": "Run the compliance suite, then play the game's house bots. Exits with 1 if a check fails.",
    "doctor": "Test which sandboxes and languages work on this machine. Exits with 3 if no sandbox does.",
    "login": "Sign in to a site, so that the commands below act as your account.",
    "logout": "Forget the token of a site.",
    "whoami": "Print the account that commands act as, and what its token may do.",
    "submit": "Enter a program as the next version of a bot on a site.",
    "try": "Play one match of a program against a house bot of a site, without entering it.",
    "watch": "Follow a submission: build, qualification, rank.",
    "status": "Print your bots with their ranks, or one submission.",
    "matches": "List matches of a site, the newest first.",
    "challenge": "Challenge bots of a site to unrated matches. With --wait, exits with 1 if BOT is worse, or"
    " if the challenge was cancelled.",
    "connect": "Let a bot that runs on this machine play unrated matches of a site. With --against, exits"
    " with 1 if the challenge was cancelled.",
    "board": "Print the leaderboard of a competition.",
    "rungs": "Print which house bots and neighbors a bot beats, with what confidence, and which is next.",
    "logs": "Print what your bots wrote to standard error in a match.",
    "download": "Download a record, an archive, a table, a program, or all matches of a bot.",
    "open": "Open a page of the site in the browser.",
    "completion": "Print what makes a shell complete commands and options.",
    "backup": "Back up this site's database and files into one file, while it runs and plays.",
    "verify-backup": "Check every byte of a backup, without a site. Exits with 1 if anything differs.",
    "restore": "Restore a backup into an empty site: everything, or nothing.",
    "upgrade": "Bring this site's database to the state of this Agon; an SQLite database is copied before.",
    "serve": "Run the site, its workers, and its scheduler in the foreground, with all data in var/.",
}

NEED_DJANGO = ("serve", "backup", "restore", "upgrade")


def main() -> None:
    """The console script. Shows a traceback only under `python -X dev`."""
    try:
        prepare_output()
        _run()
    except CommandError as error:
        say(str(error))
        sys.exit(error.code)
    except BadManifest as error:  # a game that is still being written
        say(str(error))
        sys.exit(BAD_ARGUMENTS)
    except BrokenPipeError:  # `agon ... | head`
        sys.stderr.close()
        sys.exit(0)
    except OutputFull as error:
        report_full(error)
        sys.exit(INTERNAL_ERROR)
    except KeyboardInterrupt:
        say("stopped")
        sys.exit(INTERRUPTED)
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            say(f"{error.filename}: {error.strerror}")
            sys.exit(BAD_ARGUMENTS)
        if sys.flags.dev_mode:
            raise
        say(f"internal error: {type(error).__name__}: {error} (python -X dev -m agon shows the traceback)")
        sys.exit(INTERNAL_ERROR)


def _run() -> None:
    """Run the command, and write out the rest of what it printed while that can still be reported."""
    try:
        application(sys.argv[1:])(prog_name="agon")
    except (SystemExit, OSError) as end:  # how click ends a command; what it raises if help cannot be printed
        if isinstance(end.__context__, BrokenPipeError):  # which click ends with 1
            raise end.__context__ from None
        flush_output()
        raise


def application(arguments: Sequence[str]) -> typer.Typer:
    """All commands, of which only the one that `arguments` name can be run."""
    named = next((word for word in arguments if not word.startswith("-")), None)
    app = typer.Typer(
        help="Bot competitions: play, run tournaments, verify archives, write games.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_options)
    for command, summary in COMMANDS.items():
        function = command.replace("-", "_") + ("_" if iskeyword(command) else "")
        room = "agon.supervisor" if command in NEED_DJANGO else "agon.cli"
        module = f"{room}.{function}"
        is_loaded = named in (command, "completion")
        run = getattr(import_module(module), function) if is_loaded else _not_loaded
        epilog = epilog_of(command)
        app.command(command, help=summary, short_help=summary, epilog=epilog)(run)
    return app


def _print_version(asked: bool) -> None:
    if asked:
        put(f"agon {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit."),
    ] = False,
) -> None:
    """The options of the program itself: `agon --version`."""


def _not_loaded() -> None:
    raise AssertionError("only the command that argv names is ever run")


if __name__ == "__main__":
    main()
