"""Bots in the admin, read-only. They are managed on their own pages ("View on site")."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from agon.site.bots.models import Bot, Submission
from agon.site.use_cases import void_rule
from agon.site.web.core.read_only_admin import ReadOnlyAdmin


@admin.register(Bot)
class BotAdmin(ReadOnlyAdmin):
    list_display = ["name", "competition", "owner", "house", "state", "active", "void_matches"]
    list_filter = ["state", "competition", "house"]
    list_select_related = ["competition", "owner", "active__bot"]
    search_fields = ["name", "owner__username"]
    fields = ["name", "owner", "competition", "house", "state", "reason", "changed", "active", "created"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Bot]:
        return void_rule.counted_of_bots(super().get_queryset(request))

    @admin.display(description=_("void matches"), ordering="voids")
    def void_matches(self, bot: Any) -> int:
        voids: int = bot.voids
        return voids


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ["id", "bot", "number", "language", "state", "attempt", "void_matches", "created"]
    list_filter = ["state", "language", "bot__competition"]
    list_select_related = ["bot"]
    ordering = ["-id"]  # that of the key, so that void matches are counted for the rows of the page alone
    search_fields = ["bot__name", "digest"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        return void_rule.counted(super().get_queryset(request))

    @admin.display(description=_("void matches"), ordering="voids")
    def void_matches(self, submission: Any) -> int:
        voids: int = submission.voids
        return voids
