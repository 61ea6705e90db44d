from django.db import migrations, models


def keep_seeds(apps, schema_editor):
    """Add the draw. Started tournaments keep their seeds."""
    started = apps.get_model("tournaments", "Tournament").objects.exclude(state="draft")
    started.filter(salt="").update(seeding="counted")
    started.exclude(salt="").update(seeding="indexed")


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0005_seats")]
    operations = [
        migrations.AddField(
            "tournament", "draw", models.CharField(blank=True, default="", editable=False, max_length=64)
        ),
        migrations.AddField(
            "tournament", "seeding", models.CharField(default="placed", editable=False, max_length=10)
        ),
        migrations.AddField(
            "tournament",
            "sources_open",
            models.BooleanField(default=False, verbose_name="sources open"),
        ),
        migrations.RunPython(keep_seeds, migrations.RunPython.noop),
    ]
