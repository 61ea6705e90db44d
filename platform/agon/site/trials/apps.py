from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TrialsConfig(AppConfig):
    name = "agon.site.trials"
    verbose_name = _("Trials")
