"""What a submission takes in the storage is kept beside it, so that accounts and competitions can be limited."""

from django.db import migrations, models


def measure(apps, schema_editor):
    submissions = apps.get_model("bots", "Submission").objects.only("source", "artifact")
    for submission in submissions.iterator():
        submission.source_bytes = _size(submission.source)
        submission.artifact_bytes = _size(submission.artifact)
        submission.save(update_fields=["source_bytes", "artifact_bytes"])


def _size(file):
    try:
        return file.size if file else 0
    except OSError:  # it is lost
        return 0


class Migration(migrations.Migration):
    dependencies = [("bots", "0006_one_bot_a_name")]
    operations = [
        migrations.AddField(
            "submission", "source_bytes", models.PositiveBigIntegerField(default=0, editable=False)
        ),
        migrations.AddField(
            "submission", "artifact_bytes", models.PositiveBigIntegerField(default=0, editable=False)
        ),
        migrations.RunPython(measure, migrations.RunPython.noop),
    ]
