from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

FAILED = {"kind": "platform", "text": "the platform failed", "values": {}}
STATES = ("void", "queued", "held", "running")  # a withdrawn match has a reason of ours


def replace(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    matches = apps.get_model("matches", "Match").objects.filter(state__in=STATES)
    matches.exclude(reason={}).update(reason=FAILED)


class Migration(migrations.Migration):
    """Replace why the platform failed, which may name files of the host, by words for everyone.

    The workers' logs have the rest. From now on each failed attempt keeps it, for staff.
    """

    dependencies = [("matches", "0017_failed_attempts")]
    operations = [migrations.RunPython(replace, migrations.RunPython.noop)]
