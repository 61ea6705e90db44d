from django.db import migrations, models


class Migration(migrations.Migration):
    """In games of more than two seats, house bots fill the others."""

    dependencies = [("comparisons", "0001_comparisons")]
    operations = [
        migrations.AddField("comparison", "opponents", models.JSONField(blank=True, default=list)),
    ]
