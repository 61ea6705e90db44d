"""Tournaments in the admin, read-only. States change only through agon.site.tournaments.states."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from agon.site.tournaments.models import Entrant, Tournament
from agon.site.web.core.withheld import WithheldAdmin


class EntrantInline(admin.TabularInline):
    model = Entrant
    raw_id_fields = ["bot", "submission"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entrant]:
        return super().get_queryset(request).select_related("tournament", "bot", "submission__bot")


@admin.register(Tournament)
class TournamentAdmin(WithheldAdmin):
    public_when = "salt_is_public"
    list_display = ["name", "competition", "format", "rounds", "state", "organizer", "created"]
    list_filter = ["state", "competition"]
    list_select_related = ["competition", "organizer"]
    inlines = [EntrantInline]
