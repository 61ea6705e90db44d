from django.db import migrations


class Migration(migrations.Migration):
    """Separate from 0003, because PostgreSQL cannot alter a table in the transaction that changed its rows."""

    dependencies = [("bots", "0003_reasons")]
    operations = [migrations.RemoveField("submission", "reason")]
