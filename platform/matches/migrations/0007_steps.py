from django.db import migrations, models


class Migration(migrations.Migration):
    """The number of an ask is called step everywhere, and what a game tells of the end its summary."""

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
