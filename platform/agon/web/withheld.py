"""Rows of the admin with fields that must stay secret for now, from staff and superusers too."""

from typing import Any

from django.http import HttpRequest

from agon.web.read_only_admin import ReadOnlyAdmin

SECRET = frozenset({"seed", "salt", "record"})


class WithheldAdmin(ReadOnlyAdmin):
    """`public_when` names the property of a row that is true once its SECRET fields may be shown."""

    public_when: str

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is not None and getattr(obj, self.public_when) else tuple(SECRET)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """What is not shown cannot be found out by filtering for it either."""
        return not SECRET & set(lookup.split("__")) and super().lookup_allowed(lookup, value, request)
