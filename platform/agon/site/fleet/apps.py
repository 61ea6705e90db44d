from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FleetConfig(AppConfig):
    name = "agon.site.fleet"
    verbose_name = _("Workers")
