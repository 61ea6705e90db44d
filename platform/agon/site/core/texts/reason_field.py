"""A field for why something is as it is: a code with values, shown in the reader's language."""

from typing import Any

from django.db import models

from agon.contest.text import escape_controls
from agon.site.core.texts.reasons import StoredReason
from games.core.reason import Reason


class ReasonField(models.JSONField):
    """A StoredReason, kept as JSON; `{}` is the empty one. The database refuses some control characters."""

    def from_db_value(self, value: Any, *args: Any) -> StoredReason:
        return self.to_python(super().from_db_value(value, *args))

    def to_python(self, value: Any) -> StoredReason:
        if isinstance(value, Reason):
            return StoredReason(value.code, value.values)
        return StoredReason.from_data(value) if value else StoredReason("")

    def get_default(self) -> StoredReason:
        return self.to_python(super().get_default())

    def get_prep_value(self, value: Any) -> Any:
        stored_reason = self.to_python(value)
        return super().get_prep_value(
            stored_reason.map(text=escape_controls).to_data() if stored_reason else {}
        )
