from django.db import migrations


class Migration(migrations.Migration):
    """Remove a field that was never written or read."""

    dependencies = [("competitions", "0001_initial")]
    operations = [migrations.RemoveField("competition", "created_by")]
