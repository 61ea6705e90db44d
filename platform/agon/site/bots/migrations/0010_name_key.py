from django.db import migrations, models


class Migration(migrations.Migration):
    """Rename the field by which names are compared: `name_key`, as in agon.site.core.db.name_keys."""

    dependencies = [("bots", "0009_reasons")]
    operations = [
        migrations.RemoveConstraint("bot", "one_bot_a_name"),
        migrations.RenameField("bot", "folded", "name_key"),
        migrations.AddConstraint(
            "bot",
            models.UniqueConstraint(
                condition=~models.Q(state="deleted"), fields=("competition", "name_key"), name="one_bot_a_name"
            ),
        ),
    ]
