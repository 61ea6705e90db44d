from django.db import migrations, models

import agon.site.core.db.fields
from agon.contest import secret_seeds


def draw_again(apps, schema_editor):
    """Draw new seeds for waiting matches, whose seeds were shown. Those of tournaments stay: they are derived."""
    match = apps.get_model("matches", "Match")
    for each in match.objects.filter(state="queued", tournament=None).only("pk"):
        each.seed = secret_seeds.draw()
        each.save(update_fields=["seed"])


class Migration(migrations.Migration):
    dependencies = [("matches", "0003_names_of_the_time"), ("bots", "0007_life_of_bots")]
    operations = [
        migrations.AlterField("match", "seed", agon.site.core.db.fields.SeedField(verbose_name="seed")),
        migrations.RunPython(draw_again, migrations.RunPython.noop),
        migrations.CreateModel(
            "WorkerTime",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("since", models.DateTimeField(db_index=True)),
                ("seconds", models.FloatField(default=0.0)),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=models.deletion.CASCADE, related_name="+", to="bots.bot"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("bot", "since"), name="a_bot_has_a_slice_once")
                ]
            },
        ),
    ]
