from django.contrib import admin

from competitions.models import Competition


@admin.register(Competition)
class CompetitionAdmin(admin.ModelAdmin):
    list_display = ["title", "slug", "game", "state", "created"]
    list_filter = ["state", "game"]
    search_fields = ["title", "slug"]
