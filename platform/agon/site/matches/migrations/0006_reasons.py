from django.db import migrations

import agon.site.core.texts.reasons

BATCH = 500


def keep_as_facts(apps, schema_editor):
    match = apps.get_model("matches", "Match")
    changed = []
    for row in match.objects.exclude(reason="").only("pk", "reason").iterator():
        row.facts_of_reason = {"kind": "", "text": row.reason, "values": {}}
        changed.append(row)
    match.objects.bulk_update(changed, ["facts_of_reason"], BATCH)


def keep_as_text(apps, schema_editor):
    match = apps.get_model("matches", "Match")
    changed = []
    for row in match.objects.only("pk", "facts_of_reason").iterator():
        found = row.facts_of_reason
        if found:
            row.reason = found.text % found.values if found.values else found.text
            changed.append(row)
    match.objects.bulk_update(changed, ["reason"], BATCH)


class Migration(migrations.Migration):
    """Store the reason of a match like those of bots and submissions, so that it is translated."""

    dependencies = [("matches", "0005_no_challenges")]
    operations = [
        migrations.AddField(
            "match", "facts_of_reason", agon.site.core.texts.reasons.ReasonField(blank=True, default=dict)
        ),
        migrations.RunPython(keep_as_facts, keep_as_text),
        migrations.RemoveField("match", "reason"),
        migrations.RenameField("match", "facts_of_reason", "reason"),
    ]
