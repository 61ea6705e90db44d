"""Names the fields after the skeletons of names. The columns stay, for processes of the version before."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_encrypt_second_factors")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("user", "look_folded", "skeleton_folded"),
                migrations.AlterField(
                    "user",
                    "skeleton_folded",
                    models.CharField(
                        db_column="look_folded", db_index=True, default="", editable=False, max_length=64
                    ),
                ),
                migrations.RenameField("user", "look_written", "skeleton_written"),
                migrations.AlterField(
                    "user",
                    "skeleton_written",
                    models.CharField(
                        db_column="look_written", db_index=True, default="", editable=False, max_length=64
                    ),
                ),
            ]
        )
    ]
