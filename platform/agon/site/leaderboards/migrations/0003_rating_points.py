import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Keep the history of ratings from now on."""

    dependencies = [("leaderboards", "0002_fitted_ratings")]
    operations = [
        migrations.AddField("leaderboard", "recorded", models.DateTimeField(blank=True, null=True)),
        migrations.CreateModel(
            name="RatingPoint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                ("value", models.FloatField()),
                ("low", models.FloatField()),
                ("high", models.FloatField()),
                ("played", models.PositiveIntegerField()),
                (
                    "rating",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="points",
                        to="leaderboards.rating",
                    ),
                ),
            ],
            options={"indexes": [models.Index(fields=["rating", "at"], name="points_of_a_rating")]},
        ),
    ]
