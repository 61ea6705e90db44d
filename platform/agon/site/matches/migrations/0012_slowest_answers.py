from django.db import migrations, models


class Migration(migrations.Migration):
    """Store for each seat the share of the limit that its slowest answer took."""

    dependencies = [("matches", "0011_reruns")]
    operations = [
        migrations.AddField("seat", "slowest", models.FloatField(blank=True, editable=False, null=True)),
    ]
