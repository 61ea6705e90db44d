from django.db import migrations, models


class Migration(migrations.Migration):
    """Rename fields: the number of an ask is a step, and a game's account of the end is its summary."""

    dependencies = [("matches", "0006_reasons")]
    operations = [
        migrations.RenameField("match", "turns", "steps"),
        migrations.RenameField("match", "facts", "summary"),
        migrations.RenameField("fault", "turn", "step"),
        migrations.AlterField(
            "match", "steps", models.PositiveIntegerField(default=0, verbose_name="steps")
        ),
        migrations.AlterField("fault", "step", models.PositiveIntegerField(verbose_name="step")),
    ]
