from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("matches", "0017_failed_attempts")]
    operations = []
