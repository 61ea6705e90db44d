"""`agon games`: the games that can be played here. A bad manifest is an error, but hides no other game."""

from typing import Any

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
    if json:
        print_json([_to_data(info) for info in infos])
    else:
        rows = [(info.slug, info.seat_range, len(info.house), info.summary) for info in infos]
        print_table(("game", "seats", "house bots", "summary"), rows)
    if bad:
        raise CommandError("\n".join(bad))


def _to_data(info: GameInfo) -> dict[str, Any]:
    texts = {name: getattr(info, name) for name in ("slug", "title", "version", "channel", "summary")}
    seats, bots = [info.min_seats, info.max_seats], [bot.name for bot in info.house]
    return texts | {"seats": seats, "house_bots": bots}
