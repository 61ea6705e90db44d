from django.db import migrations

import agon.site.core.texts.reasons


class Migration(migrations.Migration):
    """Give the reasons of bots and submissions the same name and type of field."""

    dependencies = [("bots", "0008_bytes_and_looks")]
    operations = [
        migrations.RenameField("bot", "why", "reason"),
        migrations.RenameField("submission", "why", "reason"),
        migrations.AlterField("bot", "reason", agon.site.core.texts.reasons.ReasonField(blank=True, default=dict)),
        migrations.AlterField("submission", "reason", agon.site.core.texts.reasons.ReasonField(blank=True, default=dict)),
    ]
