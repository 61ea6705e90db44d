from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bots", "0011_reworded_reasons")]
    operations = [
        migrations.AddField(
            "bot",
            "first_win_shown",
            models.DateTimeField(blank=True, editable=False, null=True),
        ),
    ]
