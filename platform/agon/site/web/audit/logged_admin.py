"""Forms of the admin whose changes are in the audit log, with a reason, in the transaction of the change.

Django's own log (LogEntry) has neither a reason nor the values; it can be deleted, and no chain protects it.
"""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db import models, transaction
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.acts import LONGEST_REASON
from agon.site.audit.verbs import Verb

WHY = "why"


def why_field(required: bool = True) -> forms.CharField:
    """The field of the reason."""
    return forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        required=required,
        help_text=_("It is in the log of what was done."),
        widget=forms.Textarea({"rows": 2, "cols": 60}),
    )


class LoggedActionForm(ActionForm):
    """Above the list of rows: the action, and why."""

    why = why_field(required=False)


class LoggedAdmin(admin.ModelAdmin):
    """Every row that is added, changed or deleted leaves an entry.

    Forms of a subclass have a field `why`. shown_values: the fields whose old and new values are in the
    entry; of others only the names are, since they may be personal data or secrets.
    """

    action_form = LoggedActionForm
    list_per_page = 50  # a hundred rows take a quarter of a second of templates
    shown_values: tuple[str, ...] = ()

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        verb = Verb.ADMIN_CHANGE if change else Verb.ADMIN_ADD
        self._record(request, verb, form.instance, form.cleaned_data[WHY], self._changes(form))

    def record_change(self, request: HttpRequest, obj: Any, details: dict[str, Any]) -> None:
        """For what no form of a row does: its reason is in the request."""
        self._record(request, Verb.ADMIN_CHANGE, obj, request.POST.get(WHY, ""), details)

    def reason_of_action(self, request: HttpRequest) -> str:
        """The reason given with an action; "" if there is none, which the page then says."""
        why = request.POST.get(WHY, "").strip()[:LONGEST_REASON]
        if not why:
            self.message_user(request, _("Give a reason: it is in the log."), messages.ERROR)
        return why

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        with transaction.atomic():
            self._record(request, Verb.ADMIN_DELETE, obj, request.POST.get(WHY, ""), {})
            super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: models.QuerySet[Any]) -> None:
        with transaction.atomic():
            for row in queryset:
                self._record(request, Verb.ADMIN_DELETE, row, request.POST.get(WHY, ""), {})
            super().delete_queryset(request, queryset)

    def name_in_log(self, obj: Any) -> str:
        """How an entry names a row."""
        return f"{obj._meta.verbose_name} {obj}"

    def _changes(self, form: Any) -> dict[str, Any]:
        names = [name for name in form.changed_data if name != WHY]
        shown: Mapping[str, Any] = {
            name: [_as_json(form.initial.get(name)), _as_json(form.cleaned_data.get(name))]
            for name in names
            if name in self.shown_values
        }
        return {"fields": names, **({"values": shown} if shown else {})}

    def _record(self, request: HttpRequest, verb: Verb, obj: Any, why: str, details: dict[str, Any]) -> None:
        assert isinstance(request.user, User)
        row = {"model": obj._meta.label, "id": obj.pk}
        reason = why[:LONGEST_REASON]
        acts.record(
            verb, request.user, None, subject=self.name_in_log(obj), reason=reason, details=row | details
        )


def _as_json(value: Any) -> Any:
    """A form's value as JSON."""
    if isinstance(value, models.Model):
        return str(value)
    if isinstance(value, list | tuple | models.QuerySet):
        return sorted(map(_as_json, value))
    return value if isinstance(value, bool | int | str | None) else str(value)
