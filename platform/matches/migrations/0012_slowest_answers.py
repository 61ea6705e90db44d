from django.db import migrations, models


class Migration(migrations.Migration):
    """Seats know how much of its time limit their slowest answer took."""

    dependencies = [("matches", "0011_reruns")]
    operations = [
        migrations.AddField("seat", "slowest", models.FloatField(blank=True, editable=False, null=True)),
    ]
