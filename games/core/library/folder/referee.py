"""The referee: a library's game, asked and judged as games/core/library/referee.py says."""

from games.core.library.open_spiel import OpenSpielGame


class Referee(OpenSpielGame):
    slug = "skeleton"
    # With the library that plays: if another version is installed, the game says so and plays nothing.
    version = "VERSION"
    source = "SOURCE"
