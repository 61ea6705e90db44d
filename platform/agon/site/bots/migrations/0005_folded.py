"""The database used to compare names, and SQLite folds only ASCII. Now the folded names are stored, too."""

from django.db import migrations, models

from agon.site.core.db.name_keys import name_key


def fold(apps, schema_editor):
    """If several bots have names that are now the same, only the oldest gets the key; all keep their names."""
    bots = apps.get_model("bots", "Bot").objects
    taken = set()
    for bot in bots.order_by("pk").iterator():
        name = name_key(bot.name)
        bot.folded = f"{name}#{bot.pk}" if (bot.competition_id, name) in taken else name
        taken.add((bot.competition_id, name))
        bot.save(update_fields=["folded"])


class Migration(migrations.Migration):
    dependencies = [("bots", "0004_no_sentences")]
    operations = [
        migrations.AddField(
            "bot", "folded", models.CharField(default="", editable=False, max_length=800), preserve_default=False
        ),
        migrations.RunPython(fold, migrations.RunPython.noop),
    ]
