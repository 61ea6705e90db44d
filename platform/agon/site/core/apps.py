from typing import Any

from django.apps import AppConfig
from django.core.management.base import CommandError
from django.db.models.signals import post_migrate, pre_migrate


class CoreConfig(AppConfig):
    """Has no states and no pages: its one table says which versions of Agon have migrated this database."""

    name = "agon.site.core"

    def ready(self) -> None:
        pre_migrate.connect(_refuse_newer, sender=self)
        post_migrate.connect(_remember_version, sender=self)


def _refuse_newer(**_: Any) -> None:
    from agon.site.core.db import schema  # models cannot be imported before the apps are ready

    if why := schema.why_too_new():
        raise CommandError(why)


def _remember_version(using: str, apps: Any, **_: Any) -> None:
    from agon import __version__

    if "core" not in apps.app_configs:
        return  # `migrate APP NUMBER` knows the models of that app alone
    releases = apps.get_model("core", "Release").objects.using(using)
    latest = releases.order_by("-pk").first()
    if latest is None or latest.version != __version__:
        releases.create(version=__version__)
