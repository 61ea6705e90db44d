from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bots", "0012_first_win_shown")]
    operations = [
        migrations.AddField(
            "submission",
            "program",
            models.CharField(blank=True, editable=False, max_length=64),
        ),
    ]
