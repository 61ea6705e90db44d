"""Names the fields after the skeletons of names. The columns stay, for processes of the version before."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bots", "0003_bots_at_home")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("bot", "look_folded", "skeleton_folded"),
                migrations.AlterField(
                    "bot",
                    "skeleton_folded",
                    models.CharField(
                        db_column="look_folded", db_index=True, default="", editable=False, max_length=64
                    ),
                ),
                migrations.RenameField("bot", "look_written", "skeleton_written"),
                migrations.AlterField(
                    "bot",
                    "skeleton_written",
                    models.CharField(
                        db_column="look_written", db_index=True, default="", editable=False, max_length=64
                    ),
                ),
            ]
        )
    ]
