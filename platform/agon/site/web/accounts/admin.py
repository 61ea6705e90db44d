"""Accounts, their addresses and groups in the admin, with a reason for every change.

Accounts are closed on a page of the site, which also handles their bots.
"""

from importlib import import_module
from typing import Any

from allauth.account.admin import EmailAddressAdmin as LibraryEmailAddressAdmin
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm, AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from agon.site.accounts import second_factor
from agon.site.accounts.models import User
from agon.site.accounts.services import ONLY_ADMINISTRATOR, administrators
from agon.site.teams.queries import team_of
from agon.site.web.audit.logged_admin import WHY, LoggedAdmin, why_field

RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")


class SeenField(forms.CharField):
    """What a page showed, which is no change of the row."""

    def has_changed(self, initial: Any, data: Any) -> bool:
        return False


class UserForm(UserChangeForm):
    why = why_field()
    no_second_factor = forms.BooleanField(
        label=_("Remove the second factor"),
        required=False,
        help_text=_("For people who have lost it. The password alone signs in then."),
    )

    seen = SeenField(label="", required=False, widget=forms.HiddenInput())

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["seen"] = self._rights()

    def _rights(self) -> str:
        """What the page shows of the rights, so that a form from before a change does not undo it."""
        user = self.instance
        rows = [sorted(rows.values_list("pk", flat=True)) for rows in (user.groups, user.user_permissions)]
        return f"{user.is_active} {user.is_staff} {user.is_superuser} {rows}"

    def clean(self) -> dict[str, Any]:
        """A site keeps an account that may do everything: no other one could make the next."""
        given = super().clean() or self.cleaned_data
        if given.get("seen") not in ("", self._rights()):
            raise ValidationError(_("Someone else has changed this meanwhile. Look at it again."))
        loses = any(not given.get(right, True) for right in ("is_active", "is_staff", "is_superuser"))
        if loses and list(administrators()) == [self.instance]:
            raise ValidationError(ONLY_ADMINISTRATOR)
        return given


class NewUserForm(AdminUserCreationForm):
    why = why_field()


class PasswordForm(AdminPasswordChangeForm):
    why = why_field()


@admin.register(User)
class UserAdmin(LoggedAdmin, DjangoUserAdmin):
    form = UserForm
    add_form = NewUserForm
    change_password_form = PasswordForm
    fieldsets = (
        *(DjangoUserAdmin.fieldsets or ()),
        (None, {"fields": ["about", "no_second_factor", WHY, "seen"]}),
    )
    add_fieldsets = (*DjangoUserAdmin.add_fieldsets, (None, {"fields": [WHY]}))
    shown_values = ("is_active", *RIGHTS)
    list_display = ["username", "email", "first_name", "last_name", "is_staff", "is_active", "closed"]

    def get_readonly_fields(
        self, request: HttpRequest, obj: User | None = None
    ) -> list[str] | tuple[str, ...]:
        """Only superusers grant permissions: others could grant themselves all of them."""
        fixed = super().get_readonly_fields(request, obj)
        return fixed if request.user.is_superuser else (*fixed, *RIGHTS)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Only superusers change staff accounts: a new password would give access to their permissions.

        That of a team cannot be changed: it could be signed in to.
        """
        allowed = super().has_change_permission(request, obj)
        if obj is None or not allowed:
            return allowed
        if team_of(obj.pk) is not None:
            return False
        return obj.closed is None and (request.user.is_superuser or not (obj.is_staff or obj.is_superuser))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    @transaction.atomic
    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        return super().user_change_password(request, id, form_url)

    def log_change(self, request: HttpRequest, obj: User, message: Any) -> Any:
        """A new password leaves an entry here: its page is no form of a row."""
        match = request.resolver_match
        if match is not None and match.url_name == "auth_user_password_change":
            self.record_change(request, obj, {"fields": ["password"]})
        return super().log_change(request, obj, message)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if form.cleaned_data.get("no_second_factor"):
            second_factor.remove(obj)

    def name_in_log(self, obj: User) -> str:
        return f"account {obj.pk}"


class GroupForm(forms.ModelForm):
    why = why_field()


class EmailAddressForm(forms.ModelForm):
    why = why_field()


admin.site.unregister([Group, EmailAddress])
# Secrets and addresses of people, which their own page shows (agon.site.web.accounts.security_views).
for app in ("mfa", "socialaccount", "usersessions"):
    import_module(f"allauth.{app}.admin")
admin.site.unregister([Authenticator, SocialAccount, SocialApp, SocialToken, UserSession])


@admin.register(Group)
class GroupAdmin(LoggedAdmin, DjangoGroupAdmin):
    form = GroupForm
    fields = ("name", "permissions", WHY)
    shown_values = ("name", "permissions")


@admin.register(EmailAddress)
class EmailAddressAdmin(LoggedAdmin, LibraryEmailAddressAdmin):
    form = EmailAddressForm
    fields = ("user", "email", "verified", "primary", WHY)
    shown_values = ("verified", "primary")

    @admin.action(description=_("Mark selected email addresses as verified"))
    def make_verified(self, request: HttpRequest, queryset: QuerySet[EmailAddress]) -> None:
        if not self.reason_of_action(request):
            return
        with transaction.atomic():
            before = list(queryset.filter(verified=False).values_list("pk", flat=True))
            super().make_verified(request, queryset)
            for address in EmailAddress.objects.filter(pk__in=before, verified=True):
                self.record_change(request, address, {"fields": ["verified"]})

    def name_in_log(self, obj: EmailAddress) -> str:
        return f"e-mail address {obj.pk} of account {obj.user_id}"
