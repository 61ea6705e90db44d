from django.db import migrations, models


class Migration(migrations.Migration):
    """Store where in a bot's standard error each ask begins."""

    dependencies = [("matches", "0013_comparisons")]
    operations = [migrations.AddField("stderr", "asks", models.BinaryField(default=b""))]
