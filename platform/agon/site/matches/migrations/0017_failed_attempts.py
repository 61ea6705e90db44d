import django.db.models.deletion
from django.db import migrations, models

import agon.site.core.texts.reasons


class Migration(migrations.Migration):
    """Keep every attempt at a match that failed."""

    dependencies = [("matches", "0016_removed_records")]
    operations = [
        migrations.CreateModel(
            name="FailedAttempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("asked", models.JSONField(default=list)),
                ("kind", models.CharField(max_length=10, verbose_name="kind")),
                ("details", agon.site.core.texts.reasons.ReasonField(default=dict, verbose_name="details")),
                ("worker", models.CharField(max_length=120, verbose_name="worker")),
                ("started", models.DateTimeField(verbose_name="started")),
                ("ended", models.DateTimeField(db_index=True, verbose_name="ended")),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="failed_attempts",
                        to="matches.match",
                    ),
                ),
            ],
            options={
                "verbose_name": "failed attempt",
                "verbose_name_plural": "failed attempts",
                "ordering": ["id"],
            },
        ),
    ]
