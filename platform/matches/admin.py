"""Matches in the admin, read-only. States change only through matches.states."""

from django.contrib import admin

from agon.web.withheld import WithheldAdmin
from matches.models import Match, Seat


class SeatInline(admin.TabularInline):
    model = Seat


@admin.register(Match)
class MatchAdmin(WithheldAdmin):
    public_when = "seed_is_public"
    list_display = ["id", "competition", "kind", "queue", "state", "attempt", "worker", "seconds", "reason"]
    list_filter = ["state", "kind", "competition"]
    list_select_related = ["competition"]
    inlines = [SeatInline]
    show_full_result_count = False
