from django.db import migrations, models


def mark_stopped(apps, schema_editor):
    """Entrants of tournaments that still run whose bots are stopped, unless an organizer disqualified them."""
    entrants = apps.get_model("tournaments", "Entrant").objects
    acts = apps.get_model("audit", "Act").objects.filter(verb="disqualify")
    going_on = entrants.filter(left="disqualified", tournament__state__in=["running", "paused"])
    for entrant in going_on.filter(bot__state="stopped"):
        if not acts.filter(tournament=entrant.tournament_id, subject=entrant.name).exists():
            entrants.filter(pk=entrant.pk).update(left="stopped")


def unmark_stopped(apps, schema_editor):
    apps.get_model("tournaments", "Entrant").objects.filter(left="stopped").update(left="disqualified")


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0003_sources_and_ranks'),
        ('bots', '0011_reworded_reasons'),
        ('tournaments', '0011_seed_draws'),
    ]

    operations = [
        migrations.AlterField(
            model_name='entrant',
            name='left',
            field=models.CharField(blank=True, choices=[('withdrawn', 'withdrawn'), ('disqualified', 'disqualified'), ('stopped', 'disqualified')], max_length=12),
        ),
        migrations.RunPython(mark_stopped, unmark_stopped),
    ]
