from django.db import migrations, models


class Migration(migrations.Migration):
    """What a bot wrote to its standard error knows where in it each ask begins."""

    dependencies = [("matches", "0013_comparisons")]
    operations = [migrations.AddField("stderr", "asks", models.BinaryField(default=b""))]
