"""What a submission takes in the storage, and what a bot's name looks like, is kept beside them."""

from django.db import migrations, models

from agon.site.core.db.name_keys import looks


def measure(apps, schema_editor):
    submissions = apps.get_model("bots", "Submission").objects.only("source", "artifact")
    for submission in submissions.iterator():
        submission.source_bytes = _size(submission.source)
        submission.artifact_bytes = _size(submission.artifact)
        submission.save(update_fields=["source_bytes", "artifact_bytes"])


def look(apps, schema_editor):
    for bot in apps.get_model("bots", "Bot").objects.only("name").iterator():
        bot.look_folded, bot.look_written = looks(bot.name)
        bot.save(update_fields=["look_folded", "look_written"])


def _size(file):
    try:
        return file.size if file else 0
    except OSError:  # it is lost
        return 0


class Migration(migrations.Migration):
    dependencies = [("bots", "0007_life_of_bots")]
    operations = [
        migrations.AddField(
            "submission", "source_bytes", models.PositiveBigIntegerField(default=0, editable=False)
        ),
        migrations.AddField(
            "submission", "artifact_bytes", models.PositiveBigIntegerField(default=0, editable=False)
        ),
        migrations.AddField(
            "bot", "look_folded", models.CharField(db_index=True, default="", editable=False, max_length=64)
        ),
        migrations.AddField(
            "bot", "look_written", models.CharField(db_index=True, default="", editable=False, max_length=64)
        ),
        migrations.RunPython(measure, migrations.RunPython.noop),
        migrations.RunPython(look, migrations.RunPython.noop),
    ]
