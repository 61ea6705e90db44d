"""What `agon check-game` needs to know about this game; see games/core/compliance/checks.py."""

from games.core.library.checks import SYMMETRIC, other_world, player

__all__ = ["SYMMETRIC", "other_world", "player"]
