from django.db import migrations, models


class Migration(migrations.Migration):
    """Apart from the filling: PostgreSQL changes rows and tables one after the other."""

    dependencies = [("bots", "0005_folded")]
    operations = [
        migrations.RemoveConstraint("bot", "one_bot_a_name"),
        migrations.AddConstraint(
            "bot", models.UniqueConstraint(fields=("competition", "folded"), name="one_bot_a_name")
        ),
    ]
