from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("bots", "0010_name_key")]
    operations = []
