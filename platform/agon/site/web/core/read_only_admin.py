"""Read-only rows in the admin: they are changed by services, through a state machine."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest


class ReadOnlyAdmin(admin.ModelAdmin):
    """Nothing can be added, changed, or deleted; viewing needs Django's view permission."""

    list_per_page = 50  # a hundred rows take a quarter of a second of templates

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
