"""Why something is as it is, kept as facts and shown in the reader's language.

In the database a reason is {"kind", "text", "values"}: what it is about, the English sentence with its
placeholders, as the catalogs have it, and the values. So every reader gets it in their own language,
whatever the language of the worker that wrote it was. A value may be such a sentence itself. What a bot, its
compiler or the system wrote is a value, and stays as it is (control characters escaped). A sentence that is
no longer in the translations is shown in English.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.utils.translation import gettext

from agon.contest.text import escape_controls
from agon.site.core.texts.fault_names import fault_name
from agon.site.core.texts.numbers import rewritten
from agon.site.core.texts.phrases import translated
from sandbox.reason import Reason


@dataclass(frozen=True)
class StoredReason:
    """str() gives the sentence in the reader's language; the empty reason is false, and "" as a sentence.

    matches: the ids of the matches that are the evidence, where there are such.
    """

    text: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    kind: str = ""
    matches: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        return _sentence(self.text, self.values) if self.text else ""


NO_REASON = StoredReason()


def reason(text: str, kind: str = "", matches: tuple[int, ...] = (), /, **values: object) -> StoredReason:
    """A sentence marked for translation (gettext_noop), with the values of its placeholders."""
    return StoredReason(text, {name: _stored(value) for name, value in values.items()}, kind, matches)


def foreign(words: str, kind: str = "") -> StoredReason:
    """Words that are no sentence of ours, or one of the sandbox's (sandbox.reason.Reason)."""
    if isinstance(words, Reason):
        return reason(words.text, kind, **words.values)
    return StoredReason(escape_controls(words), {}, kind)


class ReasonField(models.JSONField):
    """A StoredReason, kept as JSON."""

    def from_db_value(self, value: Any, *args: Any) -> StoredReason:
        return self.to_python(super().from_db_value(value, *args))

    def to_python(self, value: Any) -> StoredReason:
        if isinstance(value, StoredReason):
            return value
        facts = value or {}
        matches = tuple(facts.get("matches", ()))
        return StoredReason(facts.get("text", ""), facts.get("values", {}), facts.get("kind", ""), matches)

    def get_default(self) -> StoredReason:
        return self.to_python(super().get_default())

    def get_prep_value(self, value: Any) -> Any:
        found = self.to_python(value)
        if not found:
            return super().get_prep_value({})
        facts: dict[str, Any] = {"kind": found.kind, "text": found.text, "values": dict(found.values)}
        if found.matches:
            facts["matches"] = list(found.matches)
        return super().get_prep_value(facts)


def _stored(value: object) -> Any:
    """A value as the database takes it."""
    if isinstance(value, Reason):
        return {"text": value.text, "values": {name: _stored(each) for name, each in value.values.items()}}
    return value if isinstance(value, int | float) else escape_controls(str(value))


def _sentence(text: str, values: Mapping[str, Any]) -> str:
    shown = {name: _shown(name, value) for name, value in values.items()}
    return gettext(text) % shown if shown else gettext(text)


def _shown(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return _sentence(value["text"], value["values"])
    if name == "fault":
        return fault_name(value)
    return rewritten(name, translated(value)) if isinstance(value, str) else value
