from django.db import migrations, models
from django.db.models import Count


def count(apps, schema_editor):
    """Count the rated matches in which each rating shared the first place, as results add them from now on."""
    seats = apps.get_model("matches", "Seat").objects.filter(
        match__kind="ladder", match__state="finished", rank=1, won=False
    )
    ratings = apps.get_model("leaderboards", "Rating").objects
    rows = seats.order_by().values_list("submission__rated__rating").annotate(Count("pk"))
    for rating, drawn in rows:
        ratings.filter(pk=rating).update(drawn=drawn)


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboards", "0001_initial"),
        ("matches", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="rating",
            name="drawn",
            field=models.PositiveIntegerField(default=0, verbose_name="drawn"),
        ),
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
