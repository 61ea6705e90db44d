"""Model fields that several apps use."""

from typing import Any

from django.db import models

from games.core.seeds import LARGEST_SEED


class SeedField(models.Field):
    """A seed: an integer too large for any integer column, stored as decimal text."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"max_length": len(str(LARGEST_SEED))})

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        del kwargs["max_length"]
        return name, path, args, kwargs

    def get_internal_type(self) -> str:
        return "CharField"

    def from_db_value(self, value: str | None, *_: Any) -> int | None:
        return self.to_python(value)

    def to_python(self, value: Any) -> int | None:
        return None if value is None else int(value)

    def get_prep_value(self, value: Any) -> str | None:
        value = super().get_prep_value(value)
        return None if value is None else str(int(value))
