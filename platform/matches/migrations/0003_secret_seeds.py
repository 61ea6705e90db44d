from django.db import migrations

import agon.fields
from agon import seeds


def draw_again(apps, schema_editor):
    """Seeds that were shown while their matches waited; a tournament's follow from its own seed, and stay."""
    match = apps.get_model("matches", "Match")
    for each in match.objects.filter(state="queued", tournament=None).only("pk"):
        each.seed = seeds.draw()
        each.save(update_fields=["seed"])


class Migration(migrations.Migration):
    dependencies = [("matches", "0002_indexes")]
    operations = [
        migrations.AlterField("match", "seed", agon.fields.SeedField(verbose_name="seed")),
        migrations.RunPython(draw_again, migrations.RunPython.noop),
    ]
