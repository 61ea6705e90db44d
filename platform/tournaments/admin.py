"""Tournaments in the admin, read-only. States change only through tournaments.states."""

from django.contrib import admin

from agon.web.withheld import WithheldAdmin
from tournaments.models import Entrant, Tournament


class EntrantInline(admin.TabularInline):
    model = Entrant
    raw_id_fields = ["bot", "submission"]


@admin.register(Tournament)
class TournamentAdmin(WithheldAdmin):
    public_when = "is_over"
    list_display = ["name", "competition", "format", "rounds", "state", "organiser", "created"]
    list_filter = ["state", "competition"]
    list_select_related = ["competition", "organiser"]
    inlines = [EntrantInline]
