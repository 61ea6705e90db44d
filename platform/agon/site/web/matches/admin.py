"""Matches in the admin, read-only."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from agon.site.matches.models import FailedAttempt, Match, Seat
from agon.site.web.core.withheld import WithheldAdmin


class SeatInline(admin.TabularInline):
    model = Seat

    def get_queryset(self, request: HttpRequest) -> QuerySet[Seat]:
        return super().get_queryset(request).select_related("submission__bot")


class FailedAttemptInline(admin.TabularInline):
    model = FailedAttempt


@admin.register(Match)
class MatchAdmin(WithheldAdmin):
    public_when = "seed_is_public"
    list_display = ["id", "competition", "kind", "queue", "state", "attempt", "worker", "seconds", "reason"]
    list_filter = ["state", "kind", "competition"]
    list_select_related = ["competition"]
    inlines = [SeatInline, FailedAttemptInline]
    show_full_result_count = False
