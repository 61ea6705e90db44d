from django.db import migrations


class Migration(migrations.Migration):
    """Apart from the facts that took the sentences' place: PostgreSQL changes rows and tables one after the other."""

    dependencies = [("bots", "0003_reasons")]
    operations = [migrations.RemoveField("submission", "reason")]
