"""Accounts in the admin. They are closed on the site's own page, which takes care of their bots."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin

from accounts.models import User


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    list_display = [*DjangoUserAdmin.list_display, "is_active", "closed"]

    def has_change_permission(self, request, obj=None):
        return super().has_change_permission(request, obj) and (obj is None or obj.closed is None)

    def has_delete_permission(self, request, obj=None):
        return False
