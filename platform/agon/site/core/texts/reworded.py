"""Sentences that were reworded while sites had them in their databases, for migrations.

A stored reason is found in the translations by its English sentence. After a rewording it would be shown in
English to everyone.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.apps.registry import Apps

from agon.site.core.texts.reasons import StoredReason


def reword(apps: Apps, app: str, model: str, sentences: Mapping[str, str]) -> None:
    """Replace the sentences in the field `reason` of all rows, and where they are values of others."""
    rows = apps.get_model(app, model).objects.exclude(reason={})
    for row in rows.only("reason").iterator(chunk_size=1000):
        reworded = _reworded(row.reason, sentences)
        if reworded != row.reason:
            row.reason = reworded
            row.save(update_fields=["reason"])


def _reworded(stored: StoredReason, sentences: Mapping[str, str]) -> StoredReason:
    values = {name: _value(value, sentences) for name, value in stored.values.items()}
    return replace(stored, text=sentences.get(stored.text, stored.text), values=values)


def _value(value: Any, sentences: Mapping[str, str]) -> Any:
    """A value of a reason, which may be a sentence with values itself."""
    if not isinstance(value, dict):
        return value
    text = sentences.get(value["text"], value["text"])
    return {"text": text, "values": {name: _value(each, sentences) for name, each in value["values"].items()}}
