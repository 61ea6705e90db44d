from django.db import migrations, models


class Migration(migrations.Migration):
    """Separate from 0005, because PostgreSQL cannot alter a table in the transaction that changed its rows."""

    dependencies = [("bots", "0005_folded")]
    operations = [
        migrations.RemoveConstraint("bot", "one_bot_a_name"),
        migrations.AddConstraint(
            "bot", models.UniqueConstraint(fields=("competition", "folded"), name="one_bot_a_name")
        ),
    ]
