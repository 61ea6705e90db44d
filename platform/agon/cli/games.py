"""`agon games`: the games that can be played here. A bad manifest is an error, but hides no other game."""

from collections.abc import Sequence

from agon.cli.arguments import JsonOption
from agon.cli.output import CommandError, print_json
from agon.cli.terminal import print_table
from games.core.manifest import GameInfo, load, slugs
from games.core.toml_fields import BadManifest


def games(json: JsonOption = False) -> None:
    infos: list[GameInfo] = []
    bad: list[str] = []
    for slug in slugs():
        try:
            infos.append(load(slug))
        except BadManifest as error:
            bad.append(str(error))
    (_print_json if json else _print_table)(infos)
    if bad:
        raise CommandError("\n".join(bad))


def _print_json(infos: Sequence[GameInfo]) -> None:
    print_json(
        [
            {
                "slug": info.slug,
                "title": info.title,
                "version": info.version,
                "seats": [info.min_seats, info.max_seats],
                "channel": info.channel,
                "summary": info.summary,
                "house_bots": [bot.name for bot in info.house],
            }
            for info in infos
        ]
    )


def _print_table(infos: Sequence[GameInfo]) -> None:
    print_table(
        ("game", "seats", "house bots", "summary"),
        (
            (info.slug, _seats(info.min_seats, info.max_seats), len(info.house), info.summary)
            for info in infos
        ),
    )


def _seats(least: int, most: int) -> str:
    return str(least) if least == most else f"{least}-{most}"
