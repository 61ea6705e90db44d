"""`agon games`: the games that can be played here."""

from __future__ import annotations

from cli.arguments import JsonOption
from cli.output import print_json
from cli.terminal import print_table
from games.core.manifest import all_games


def games(json: JsonOption = False) -> None:
    infos = all_games()
    if json:
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
        return
    print_table(
        ("game", "seats", "house bots", "summary"),
        (
            (info.slug, _seats(info.min_seats, info.max_seats), len(info.house), info.summary)
            for info in infos
        ),
    )


def _seats(least: int, most: int) -> str:
    return str(least) if least == most else f"{least}-{most}"
