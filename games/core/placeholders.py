"""The placeholders of a rules page, such as `{{ turn_s }}`, which stand for values of the manifest.

So a page always states the limit that is in force.
"""

import re
from dataclasses import asdict

from games.core.manifest import GameInfo

PLACEHOLDER = re.compile(r"\{\{ *([a-z_]+) *\}\}")


def fill(text: str, info: GameInfo) -> str:
    """`text` with the known placeholders filled in; others are left as they are."""
    values = values_of(info)
    return PLACEHOLDER.sub(lambda placeholder: values.get(placeholder[1], placeholder[0]), text)


def values_of(info: GameInfo) -> dict[str, str]:
    """The value of each placeholder: all numbers of [limits], turn_s and ready_s in seconds, seats, title."""
    limits = {name: str(value) for name, value in asdict(info.limits).items() if value is not None}
    seconds = {"turn_s": f"{info.limits.turn_ms / 1000:g}"}
    if info.limits.ready_ms is not None:
        seconds["ready_s"] = f"{info.limits.ready_ms / 1000:g}"
    return limits | seconds | {"seats": info.seat_range, "title": info.title}
