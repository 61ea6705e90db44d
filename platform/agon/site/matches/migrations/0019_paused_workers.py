from django.db import migrations, models

import agon.site.core.texts.reasons


class Migration(migrations.Migration):
    """Store which workers are paused because their machines can fetch no programs."""

    dependencies = [("matches", "0018_public_reasons")]
    operations = [
        migrations.CreateModel(
            name="PausedWorker",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("worker", models.CharField(max_length=120, unique=True, verbose_name="worker")),
                ("details", agon.site.core.texts.reasons.ReasonField(default=dict, verbose_name="details")),
                ("since", models.DateTimeField(verbose_name="paused since")),
                ("tried", models.DateTimeField(verbose_name="last tried")),
            ],
            options={"verbose_name": "paused worker", "verbose_name_plural": "paused workers"},
        ),
    ]
