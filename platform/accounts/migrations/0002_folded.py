"""Names were compared by the database, which on SQLite folds ASCII only; now what they fold to is kept beside them."""

from django.db import migrations, models

from agon.db.name_keys import name_key


def fold(apps, schema_editor):
    """Of several accounts whose names turn out to be the same the oldest has the name; the others keep theirs, too."""
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
