"""Paused and odd workers in the admin, read-only, except that odd workers can be released."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from agon.site.accounts.models import User
from agon.site.core.db.transitions import IllegalTransition
from agon.site.fleet import parking
from agon.site.fleet.models import OddWorker, PausedWorker
from agon.site.web.audit.logged_admin import LoggedAdmin
from agon.site.web.core.read_only_admin import ReadOnlyAdmin


@admin.register(PausedWorker)
class PausedWorkerAdmin(ReadOnlyAdmin):
    """Workers whose machine can fetch no programs. They go on by themselves when that works again."""

    list_display = ["worker", "details", "since", "tried"]
    ordering = ["-since"]


@admin.register(OddWorker)
class OddWorkerAdmin(ReadOnlyAdmin, LoggedAdmin):
    """Workers that played differently from the others, with the matches that are the evidence."""

    list_display = ["worker", "competition", "state", "finding", "found", "seen", "released", "all_matches"]
    list_filter = ["state", "competition"]
    list_select_related = ["competition"]
    ordering = ["-found"]
    actions = ["release"]
    fields = [
        "worker", "competition", "state", "finding", "found", "released", "all_matches", "compared_matches"
    ]  # fmt: skip
    readonly_fields = ["all_matches", "compared_matches"]

    @admin.display(description=_("its matches"))
    def all_matches(self, odd: OddWorker) -> str:
        address = reverse("admin:matches_match_changelist")
        query = urlencode({"worker__startswith": f"{odd.worker}:"})
        return format_html('<a href="{}?{}">{}</a>', address, query, _("all its matches"))

    @admin.display(description=_("matches that were compared"))
    def compared_matches(self, odd: OddWorker) -> str:
        links = ((reverse("match", args=[match]), match) for match in odd.finding.matches)
        return format_html_join(" ", '<a href="{}">#{}</a>', links)

    def has_release_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("fleet.change_oddworker")

    @admin.action(description=_("Release the selected workers"), permissions=["release"])
    def release(self, request: HttpRequest, rows: QuerySet[OddWorker]) -> None:
        why = self.reason_of_action(request)
        if not why:
            return
        assert isinstance(request.user, User)
        released = 0
        for odd in rows:
            try:
                parking.release(odd, request.user, why)
            except IllegalTransition:  # it was released before
                continue
            self.log_change(request, odd, "Released.")
            released += 1
        words = ngettext("%(count)d worker released.", "%(count)d workers released.", released)
        self.message_user(request, words % {"count": released}, messages.SUCCESS)
