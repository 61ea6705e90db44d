from django.db import migrations, models


class Migration(migrations.Migration):
    """Store when a parked worker was last seen, so that those that are gone do not count."""

    dependencies = [("matches", "0019_paused_workers")]
    operations = [
        migrations.AddField(
            "oddworker", "seen", models.DateTimeField(blank=True, null=True, verbose_name="last seen")
        ),
    ]
