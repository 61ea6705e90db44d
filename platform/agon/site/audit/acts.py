"""Writing the audit log."""

from collections.abc import Mapping
from typing import Any

from django.db import models, transaction

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb

LONGEST_REASON = 1000  # characters


class BadReason(ValueError):
    """A reason that is missing or too long. str(e): what was expected, and what was got."""


def record(
    verb: Verb,
    by: User | None,
    competition: models.Model | None,
    tournament: models.Model | None = None,
    subject: str = "",
    reason: str = "",
    details: Mapping[str, Any] | None = None,
    team: models.Model | None = None,
) -> Act:
    """Add an entry, in the transaction of the act. by: None for the site itself. team: the one whose
    history it belongs to.

    Raises BadReason, and TransactionManagementError outside of a transaction.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("an act is recorded in the transaction that does it")
    if len(reason) > LONGEST_REASON:
        raise BadReason(f"reason: expected at most {LONGEST_REASON} characters, got {len(reason)}")
    return Act.objects.create(
        verb=verb,
        actor=by,
        competition_id=None if competition is None else competition.pk,
        tournament_id=None if tournament is None else tournament.pk,
        team_id=None if team is None else team.pk,
        subject=subject[:120],
        reason=reason,
        details=dict(details or {}),
    )
