from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations


def create_group(apps, schema_editor):
    """Make the group whose members may run tournaments. Administrators add users to it."""
    # Permissions are otherwise made only after all migrations.
    config = installed.get_app_config("tournaments")
    create_permissions(config, verbosity=0, apps=apps, using=schema_editor.connection.alias)
    group, _ = apps.get_model("auth", "Group").objects.get_or_create(name="Organisers")
    group.permissions.add(
        *apps.get_model("auth", "Permission").objects.filter(
            content_type__app_label="tournaments", codename__in=["add_tournament", "view_tournament"]
        )
    )


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0001_initial"), ("auth", "0012_alter_user_first_name_max_length")]
    operations = [migrations.RunPython(create_group, migrations.RunPython.noop)]
