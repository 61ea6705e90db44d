"""Rows in the admin that are looked at there and changed elsewhere: by services, through a state machine."""

from django.contrib import admin


class ReadOnlyAdmin(admin.ModelAdmin):
    """Nothing is added, changed or deleted; django.contrib.auth's view permission is needed to look."""

    def has_add_permission(self, request, obj=None):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False
