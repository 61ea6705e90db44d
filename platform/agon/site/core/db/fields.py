"""Model fields that several apps use."""

import base64
from typing import Any

from django.db import models

from games.core.seeds import LARGE, LARGEST_SEED, SEED_BITS

_MARK = "~"  # before the bytes of a seed in base 85, which take half as much room as its digits


class SeedField(models.Field):
    """A seed: an integer too large for any integer column, stored as text.

    Small seeds are decimal text, and so are all that were stored by earlier versions.
    """

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
        if isinstance(value, str) and value.startswith(_MARK):
            return int.from_bytes(base64.b85decode(value[len(_MARK) :]), "big")
        return None if value is None else int(value)

    def get_prep_value(self, value: Any) -> str | None:
        value = super().get_prep_value(value)
        if value is None:
            return None
        seed = int(value)
        if not LARGE <= seed <= LARGEST_SEED:
            return str(seed)
        return _MARK + base64.b85encode(seed.to_bytes(SEED_BITS // 8, "big")).decode()
