"""The table of matches that a program was tried in together: opponent, seat, result, link to the replay."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import QuerySet

from agon.site.trials import tables
from agon.site.trials.models import Outcome, Trial


class Row(NamedTuple):
    """A match of the batch. names: of the others at the table."""

    trial: Trial
    names: list[str]


class Batch(NamedTuple):
    """The matches in the order in which they are played. token: of the first."""

    token: str
    rows: Sequence[Row]

    @property
    def over(self) -> int:
        return sum(row.trial.is_over for row in self.rows)

    @property
    def is_over(self) -> bool:
        return self.over == len(self.rows)

    @property
    def stamp(self) -> str:
        """It changes with what the table shows."""
        return f"{self.over}-{len(self.rows)}"

    @property
    def won(self) -> int:
        return self._count(Outcome.WON)

    @property
    def drawn(self) -> int:
        return self._count(Outcome.DRAWN)

    @property
    def lost(self) -> int:
        return self._count(Outcome.LOST)

    def _count(self, outcome: Outcome) -> int:
        return sum(row.trial.outcome == outcome for row in self.rows)


def of_trial(trial: Trial) -> Batch | None:
    """The batch of which a trial is; None if it is alone."""
    if not trial.batch:
        return None
    trials = list(_light(Trial.objects.filter(batch=trial.batch)).order_by("number"))
    if not trials:
        return None
    names = tables.names([tried.others for tried in trials])
    return Batch(trials[0].token, [Row(*row) for row in zip(trials, names, strict=True)])


def _light(trials: QuerySet[Trial]) -> QuerySet[Trial]:
    """Without texts and records, which a table does not need."""
    return trials.defer("text", "build_log", "record", "times", "stderr", "stderr_asks")
