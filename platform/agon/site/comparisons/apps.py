from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ComparisonsConfig(AppConfig):
    name = "agon.site.comparisons"
    verbose_name = _("Comparisons")
