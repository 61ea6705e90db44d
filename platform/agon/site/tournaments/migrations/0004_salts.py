from django.db import migrations, models

import agon.contest.secret_seeds


def salt_drafts(apps, schema_editor):
    """Give drafts salts. Started tournaments keep their seeds."""
    for draft in apps.get_model("tournaments", "Tournament").objects.filter(state="draft"):
        draft.salt = agon.contest.secret_seeds.new_salt()
        draft.save(update_fields=["salt"])


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0003_names_and_stops")]
    operations = [
        migrations.AddField(
            "tournament", "salt", models.CharField(blank=True, default="", editable=False, max_length=64)
        ),
        migrations.RunPython(salt_drafts, migrations.RunPython.noop),
        migrations.AlterField(
            "tournament",
            "salt",
            models.CharField(blank=True, default=agon.contest.secret_seeds.new_salt, editable=False, max_length=64),
        ),
    ]
