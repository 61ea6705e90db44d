"""What follows from a match, by its kind. Each kind's effects are registered by the app that owns them.

matches.leases calls them inside the transaction that changes the match's state, and knows nothing of ratings,
qualifications or tournaments: the pipeline, which does, registers its own when Django starts.
"""

from typing import Protocol

from contest.arena import Played
from matches.models import Match


class Effects(Protocol):
    """What follows from the matches of one kind."""

    def of_result(self, match: Match, played: Played) -> None:
        """The match was played to its end; its seats and faults are written."""

    def of_void(self, match: Match, why: str) -> None:
        """The platform gave the match up."""

    def of_withdrawal(self, match: Match) -> None:
        """The match was withdrawn after a failed attempt."""

    def is_unwanted(self, match: Match) -> bool:
        """Whether a match that is to be played again need not be: one of its bots has left play."""


_registered: dict[str, Effects] = {}


def register(kind: Match.Kind, effects: Effects) -> None:
    _registered[kind] = effects


def of(match: Match) -> Effects:
    """Raises KeyError for a kind that has no effects registered."""
    return _registered[match.kind]
