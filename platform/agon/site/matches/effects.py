"""The interface for what follows from a match, by its kind: ratings, a qualification, the next round.

agon.site.matches.leases calls these effects inside the transaction that changes the match's state, and knows
nothing of ratings, qualifications or tournaments. agon.site.use_cases.effects implements and registers them
when Django starts.
"""

from collections.abc import Sequence

from agon.site.matches.models import Match
from games.core.reason import Reason


class Effects:
    """The effects of matches of one kind: none, and all are wanted, unless a subclass says otherwise."""

    def on_finished(self, matches: Sequence[Match]) -> None:
        """Called when these matches were played to their ends; their seats and faults are written."""

    def on_failed_attempt(self, match: Match) -> None:
        """Called when an attempt failed, before the match is queued again, void or withdrawn."""

    def on_void(self, match: Match, why: Reason) -> None:
        """Called when the platform gave the match up."""

    def on_withdrawn(self, match: Match) -> None:
        """Called when a claimed match was withdrawn instead of being queued again."""

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """The ids of those that need not be played anymore, for example because a bot has left play."""
        return set()


_registered: dict[str, Effects] = {}


def register(kind: Match.Kind, effects: Effects) -> None:
    """Set what follows from matches of this kind. Called once per kind, when Django starts."""
    _registered[kind] = effects


def handler_for(match: Match) -> Effects:
    """The effects for the match's kind. Raises KeyError if none are registered."""
    return _registered[match.kind]
