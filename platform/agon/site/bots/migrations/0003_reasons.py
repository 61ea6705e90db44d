"""Reasons were English sentences; they become facts that pages say in the reader's language (agon.site.bots.reasons)."""

import re

from django.db import migrations, models

KNOWN = (
    (
        "fault",
        "In its qualification match it made a fault (%(fault)s): %(reason)s",
        re.compile(r"In its qualification match it made a fault \((?P<fault>\w+)\): (?P<reason>.*)", re.DOTALL),
    ),
    (
        "platform",
        "The platform could not build it and will try again: %(why)s",
        re.compile(r"The platform could not build it and will try again: (?P<why>.*)", re.DOTALL),
    ),
    (
        "platform",
        "The platform could not play the qualification match and will try again: %(why)s",
        re.compile(
            r"The platform could not play the qualification match and will try again: (?P<why>.*)", re.DOTALL
        ),
    ),
)


def to_facts(apps, schema_editor):
    for submission in apps.get_model("bots", "Submission").objects.exclude(reason="").iterator():
        submission.why = facts(submission.reason)
        submission.save(update_fields=["why"])


def facts(sentence):
    for kind, text, pattern in KNOWN:
        if found := pattern.fullmatch(sentence):
            return {"kind": kind, "text": text, "values": found.groupdict()}
    return {"kind": "build", "text": sentence, "values": {}}


def to_sentences(apps, schema_editor):
    for submission in apps.get_model("bots", "Submission").objects.exclude(why={}).iterator():
        submission.reason = english(submission.why)
        submission.save(update_fields=["reason"])


def english(why):
    values = {name: english(value) if isinstance(value, dict) else value for name, value in why["values"].items()}
    return why["text"] % values if values else why["text"]


class Migration(migrations.Migration):
    dependencies = [("bots", "0002_indexes")]
    operations = [
        migrations.AddField("submission", "why", models.JSONField(blank=True, default=dict)),
        migrations.RunPython(to_facts, to_sentences),
    ]
