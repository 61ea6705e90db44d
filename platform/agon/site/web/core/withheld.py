"""Admin rows with fields that must stay secret for now, even from staff and superusers."""

from typing import Any

from django.http import HttpRequest

from agon.site.web.core.read_only_admin import ReadOnlyAdmin

SECRET = frozenset({"seed", "salt", "record"})


class WithheldAdmin(ReadOnlyAdmin):
    """`public_when` names the property of a row that is true once its SECRET fields may be shown."""

    public_when: str

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is not None and getattr(obj, self.public_when) else tuple(SECRET)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Do not let hidden fields be discovered by filtering."""
        return not SECRET & set(lookup.split("__")) and super().lookup_allowed(lookup, value, request)
