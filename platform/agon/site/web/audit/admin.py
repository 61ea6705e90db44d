"""The audit log in the admin, read-only."""

from django.contrib import admin

from agon.site.audit.models import Act
from agon.site.web.core.read_only_admin import ReadOnlyAdmin


@admin.register(Act)
class ActAdmin(ReadOnlyAdmin):
    list_display = ["at", "actor", "verb", "subject", "tournament", "competition", "reason"]
    list_filter = ["verb", "competition"]
    list_select_related = ["actor", "tournament", "competition"]
