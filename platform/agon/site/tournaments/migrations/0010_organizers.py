from django.db import migrations


def renaming(old, new):
    def rename_group(apps, schema_editor):
        """Keep both groups if someone has made one of the new name: its members may have no such rights."""
        groups = apps.get_model("auth", "Group").objects
        if not groups.filter(name=new).exists():
            groups.filter(name=old).update(name=new)

    return rename_group


class Migration(migrations.Migration):

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("tournaments", "0009_reruns"),
    ]

    operations = [
        migrations.RenameField("tournament", "organiser", "organizer"),
        migrations.RunPython(renaming("Organisers", "Organizers"), renaming("Organizers", "Organisers")),
    ]
