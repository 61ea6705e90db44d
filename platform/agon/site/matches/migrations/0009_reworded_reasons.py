from django.db import migrations

from agon.site.core.texts.reworded import reword

SENTENCES = {
    "One of its bots has left play.": "One of its bots was withdrawn, stopped, or deleted.",
}


def forwards(apps, schema_editor):
    reword(apps, "matches", "Match", SENTENCES)


class Migration(migrations.Migration):
    """Store the present wording of reworded sentences, so that they are translated again."""

    dependencies = [("matches", "0008_recordings")]
    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
