import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Matches of comparisons."""

    dependencies = [
        ("bots", "0011_reworded_reasons"),
        ("comparisons", "0001_comparisons"),
        ("competitions", "0002_no_creator"),
        ("matches", "0012_slowest_answers"),
        ("tournaments", "0009_reruns"),
    ]

    operations = [
        migrations.AddField(
            model_name="match",
            name="comparison",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="matches",
                to="comparisons.comparison",
            ),
        ),
        migrations.AlterField(
            model_name="match",
            name="kind",
            field=models.CharField(
                choices=[
                    ("qualification", "qualification"),
                    ("ladder", "ladder"),
                    ("tournament", "tournament"),
                    ("comparison", "comparison"),
                    ("rerun", "run again"),
                ],
                max_length=14,
                verbose_name="kind",
            ),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                condition=models.Q(("kind", "comparison")), fields=["id"], name="match_compared"
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.UniqueConstraint(fields=("comparison", "index"), name="comparison_match_once"),
        ),
    ]
