"""What a name looks like is kept beside it, to be compared with new ones; accounts that look alike keep theirs."""

from django.db import migrations, models

from agon.site.core.db.name_keys import looks


def look(apps, schema_editor):
    users = apps.get_model("accounts", "User").objects
    for user in users.only("username").iterator():
        user.look_folded, user.look_written = looks(user.username)
        user.save(update_fields=["look_folded", "look_written"])


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_closed")]
    operations = [
        migrations.AddField(
            "user", name, models.CharField(db_index=True, default="", editable=False, max_length=64)
        )
        for name in ("look_folded", "look_written")
    ] + [migrations.RunPython(look, migrations.RunPython.noop)]
