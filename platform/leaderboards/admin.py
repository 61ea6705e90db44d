from django.contrib import admin

from leaderboards.models import Rating


@admin.register(Rating)
class RatingAdmin(admin.ModelAdmin):
    list_display = ["submission", "mu", "sigma", "played", "won", "faults"]
    list_filter = ["submission__bot__competition"]
    list_select_related = ["submission__bot"]
    readonly_fields = ["submission"]
