from django.db import migrations


def close_sources(apps, schema_editor):
    """Owners did not enter the bots of these drafts themselves."""
    apps.get_model("tournaments", "Tournament").objects.filter(state="draft").update(sources_open=False)


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0012_stopped_entrants'),
    ]

    operations = [
        migrations.RunPython(close_sources, migrations.RunPython.noop),
    ]
