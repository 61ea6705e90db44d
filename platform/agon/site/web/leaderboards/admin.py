from django.contrib import admin

from agon.site.leaderboards.models import Rated, Rating
from agon.site.web.core.read_only_admin import ReadOnlyAdmin


class RatedInline(admin.TabularInline):
    model = Rated


@admin.register(Rating)
class RatingAdmin(ReadOnlyAdmin):
    """Ratings follow from results and are not edited: see `manage.py recompute_ratings`."""

    list_display = [
        "id",
        "competition",
        "rating",
        "low",
        "high",
        "best",
        "worst",
        "played",
        "won",
        "drawn",
        "faults",
    ]
    list_filter = ["competition"]
    list_select_related = ["competition"]
    inlines = [RatedInline]
