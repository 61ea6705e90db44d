"""What follows from a match, by its kind. Each kind's effects are registered by the app that owns them.

matches.leases calls them inside the transaction that changes the match's state, and knows nothing of ratings,
qualifications or tournaments: the pipeline, which does, registers its own when Django starts.
"""

from collections.abc import Sequence
from typing import Protocol

from matches.models import Match


class Effects(Protocol):
    """What follows from the matches of one kind."""

    def of_results(self, matches: Sequence[Match]) -> None:
        """These matches were played to their ends; their seats and faults are written."""

    def of_void(self, match: Match, why: str) -> None:
        """The platform gave the match up."""

    def of_withdrawal(self, match: Match) -> None:
        """The match was withdrawn after a failed attempt."""

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """The ids of those that need not be played anymore, because one of their bots has left play."""


_registered: dict[str, Effects] = {}


def register(kind: Match.Kind, effects: Effects) -> None:
    """Set what follows from matches of this kind. Called once per kind, when Django starts."""
    _registered[kind] = effects


def of(match: Match) -> Effects:
    """Raises KeyError for a kind that has no effects registered."""
    return _registered[match.kind]
