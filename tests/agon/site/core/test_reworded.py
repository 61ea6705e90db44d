"""Reasons stored before a sentence was reworded are shown in the reader's language, not in English."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.utils import translation

from agon.site.bots.models import Submission
from agon.site.core.texts.reasons import StoredReason
from tests.support.factories import submit

bots = import_module("agon.site.bots.migrations.0011_reworded_reasons")
matches = import_module("agon.site.matches.migrations.0009_reworded_reasons")


def test_a_stored_sentence_and_one_among_its_values_are_reworded(user, competition):
    left_no_file = {
        "text": "The build left no file %(file)s, which is to be run",
        "values": {"file": "bot"},
    }
    old = StoredReason(
        "The platform could not build it and will try again: %(why)s", {"why": left_no_file}, "build"
    )
    submission = submit(user, competition)
    Submission.objects.filter(pk=submission.pk).update(reason=old)

    bots.forwards(apps, connection.schema_editor())

    submission.refresh_from_db()
    assert submission.reason.kind == "build"
    assert str(submission.reason) == (
        "The platform failed to build it and will try again: "
        "The build left no file bot, which is the program to run"
    )


@pytest.mark.parametrize("language", ["ja", "ru"])
@pytest.mark.parametrize("new", [*bots.SENTENCES.values(), *matches.SENTENCES.values()])
def test_the_new_sentence_is_one_of_the_translations(new, language):
    with translation.override(language):
        assert translation.gettext(new) != new


@pytest.mark.parametrize(("old", "new"), [*bots.SENTENCES.items(), *matches.SENTENCES.items()])
def test_the_new_sentence_has_the_placeholders_of_the_old(old, new):
    names = {"used", "more", "most", "fault", "reason", "why", "attempts", "matches", "file"}
    names |= {"void", "played", "others_void", "others", "odds"}
    assert {name for name in names if f"%({name})" in old} == {name for name in names if f"%({name})" in new}
