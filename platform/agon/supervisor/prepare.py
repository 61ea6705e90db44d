"""Prepares a site to start: a working sandbox, an up-to-date database, house bots, an administrator."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import django
from django.conf import settings

from agon.site.core import garbage
from agon.supervisor.errors import StartupError
from agon.supervisor.folder import private_database
from games.core.broken import why_broken
from games.core.manifest import slugs
from sandbox.api import Sandbox, SandboxError
from sandbox.backends import open_sandbox

NO_SANDBOX = 3  # the exit status of every command that needs one


def prepare() -> str | None:
    """Prepare the site; returns the administrator's password if the account was created just now.

    Raises StartupError, and BadManifest if there is no folder of games.
    """
    slugs()  # before anything is changed
    with working_sandbox() as sandbox:
        with garbage.gc_frozen():
            django.setup()
        if settings.EMBEDDED:
            private_database(settings.VAR)
        from agon.supervisor.migrating import migrate  # Django has to be set up first

        if copy := migrate():
            print(f"The database was changed for this version; as it was before: {copy}", flush=True)
        from agon.site.competitions import game_versions  # models exist only now

        game_versions.note_changes()
        install_house_bots(sandbox)
    from agon.site.accounts.services import ensure_admin  # models exist only once Django is set up

    return ensure_admin()


@contextmanager
def working_sandbox() -> Iterator[Sandbox]:
    """The sandbox that the workers will use. Raises StartupError if none works here."""
    try:
        sandbox = open_sandbox(os.environ.get("AGON_SANDBOX") or None)
    except SandboxError as error:
        reasons = "; ".join(str(error).splitlines())
        raise StartupError(f"Bots are never run without a sandbox: {reasons}", NO_SANDBOX) from error
    try:
        yield sandbox
    finally:
        sandbox.close()


def broken_games() -> dict[str, str]:
    """Games that are here, or have a competition, and cannot be played: the reason by slug."""
    from agon.site.competitions.models import Competition

    games = {*slugs(), *Competition.objects.values_list("game", flat=True)}
    return {slug: why for slug in sorted(games) if (why := why_broken(slug))}


def install_house_bots(sandbox: Sandbox) -> None:
    """Upload new and changed house bots; if there are any, also print which are left out, and why."""
    from agon.site.use_cases.house_bots import install

    for slug, why in broken_games().items():
        print(f"The game {slug} is suspended until it is repaired and the site restarted: {why}", flush=True)
    left_out: dict[str, list[str]] = {}
    uploaded = 0
    for bot in install(sandbox):
        if bot.note == "uploaded":
            uploaded += 1
        elif bot.note != "unchanged":
            left_out.setdefault(bot.note, []).append(bot.bot)
    if not uploaded:
        return
    words = "1 house bot uploaded; it is" if uploaded == 1 else f"{uploaded} house bots uploaded; they are"
    print(f"{words} built and tested once the site runs.", flush=True)
    for why, bots in left_out.items():
        print(f"House bot{'s' if len(bots) > 1 else ''} {', '.join(bots)}: {why}", flush=True)
