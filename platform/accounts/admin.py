"""Accounts in the admin. They are closed on a page of the site, which also handles their bots."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from accounts.models import User
from accounts.services import ONLY_ADMINISTRATOR, administrators

RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")


class UserForm(UserChangeForm):
    def clean(self) -> dict[str, Any]:
        """A site keeps an account that may do everything: no other one could make the next."""
        given = super().clean() or self.cleaned_data
        loses = any(not given.get(right, True) for right in ("is_active", "is_staff", "is_superuser"))
        if loses and list(administrators()) == [self.instance]:
            raise ValidationError(ONLY_ADMINISTRATOR)
        return given


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    form = UserForm
    list_display = ["username", "email", "first_name", "last_name", "is_staff", "is_active", "closed"]

    def get_readonly_fields(
        self, request: HttpRequest, obj: User | None = None
    ) -> list[str] | tuple[str, ...]:
        """Only superusers grant permissions: others could grant themselves all of them."""
        fixed = super().get_readonly_fields(request, obj)
        return fixed if request.user.is_superuser else (*fixed, *RIGHTS)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Only superusers change staff accounts: a new password would give access to their permissions."""
        allowed = super().has_change_permission(request, obj)
        if obj is None or not allowed:
            return allowed
        return obj.closed is None and (request.user.is_superuser or not (obj.is_staff or obj.is_superuser))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False
