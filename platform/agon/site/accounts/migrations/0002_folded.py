"""The database used to compare names, and SQLite folds only ASCII. Now the folded names are stored, too."""

from django.db import migrations, models

from agon.site.core.db.name_keys import name_key


def fold(apps, schema_editor):
    """If several accounts have names that are now the same, only the oldest gets the key; all keep their names."""
    users = apps.get_model("accounts", "User").objects
    taken = set()
    for user in users.order_by("pk").iterator():
        name = name_key(user.username)[:400]
        user.folded = f"{name}#{user.pk}" if name in taken else name
        taken.add(name)
        user.save(update_fields=["folded"])


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]
    operations = [
        migrations.AddField(
            "user", "folded", models.CharField(default="", editable=False, max_length=450), preserve_default=False
        ),
        migrations.RunPython(fold, migrations.RunPython.noop),
    ]
