"""Bots in the admin: to be looked at. States change through bots.states only."""

from django.contrib import admin

from bots.models import Bot, Submission


@admin.register(Bot)
class BotAdmin(admin.ModelAdmin):
    list_display = ["name", "competition", "owner", "house", "active"]
    list_filter = ["competition", "house"]
    list_select_related = ["competition", "owner", "active__bot"]
    search_fields = ["name", "owner__username"]
    readonly_fields = ["owner", "competition", "house", "active", "created"]


@admin.register(Submission)
class SubmissionAdmin(admin.ModelAdmin):
    list_display = ["id", "bot", "number", "language", "state", "attempt", "created"]
    list_filter = ["state", "language", "bot__competition"]
    list_select_related = ["bot"]
    search_fields = ["bot__name", "digest"]

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False
