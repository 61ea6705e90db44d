from django.db import migrations

import agon.db.reasons


class Migration(migrations.Migration):
    """Give the reasons of bots and submissions the same name and type of field."""

    dependencies = [("bots", "0008_bytes_and_looks")]
    operations = [
        migrations.RenameField("bot", "why", "reason"),
        migrations.RenameField("submission", "why", "reason"),
        migrations.AlterField("bot", "reason", agon.db.reasons.ReasonField(blank=True, default=dict)),
        migrations.AlterField("submission", "reason", agon.db.reasons.ReasonField(blank=True, default=dict)),
    ]
