from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.translation import gettext_lazy as _

from agon.site.fleet import worker_role


class FleetConfig(AppConfig):
    name = "agon.site.fleet"
    verbose_name = _("Workers")

    def ready(self) -> None:
        pre_migrate.connect(_before_tables_change, sender=self)
        post_migrate.connect(_after_tables_changed, sender=self)


def _before_tables_change(**_: Any) -> None:
    worker_role.suspend()


def _after_tables_changed(**_: Any) -> None:
    worker_role.renew()
