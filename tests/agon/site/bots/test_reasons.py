"""Why a submission was rejected or waits: kept as facts, shown in the language of the reader."""

import pytest
from django.utils import translation

from agon.site.bots import reasons
from agon.site.bots.states import State
from agon.site.core.texts.reasons import StoredReason
from agon.site.matches.models import Match
from sandbox.reason import Reason
from tests.support.factories import submit
from tests.support.old_tables import migrate_all, migrate_to

FAULT = {
    "en": "It committed a fault in its qualification match (too slow): turn 4: gave no answer within 2 s",
    "ja": "予選で反則がありました（時間切れ）: ターン4: 2秒以内に応答しませんでした",
    "ru": "Нарушение в отборочном матче (превышение времени): ход 4: не ответил за 2\xa0с",
}


@pytest.mark.parametrize("language", FAULT)
def test_a_fault_is_said_in_the_readers_language_and_so_is_its_reason(user, competition, language):
    with translation.override("ru"):  # the worker's
        why = reasons.fault("timeout", "turn 4: gave no answer within 2 s")
        rejected = submit(user, competition, state=State.REJECTED)
        type(rejected).objects.update(reason=why)
    rejected.refresh_from_db()
    with translation.override(language):
        assert str(rejected.reason) == FAULT[language]


def test_what_a_compiler_said_is_no_text_of_ours(db):
    assert str(reasons.no_build("100 % wrong: %(why)s")) == "100 % wrong: %(why)s"
    quoted = Reason("The build failed: %(why)s; see the log", why="50 % done")
    assert str(reasons.no_build(quoted)) == "The build failed: 50 % done; see the log"


def test_a_value_may_be_a_sentence_itself(db):
    inner = Reason("no answer within %(seconds)d s", seconds=5)
    facts = reasons.no_build(Reason("%(what)s: %(why)s", what="bot.py", why=inner))
    assert facts.values["why"] == {"text": "no answer within %(seconds)d s", "values": {"seconds": 5}}
    assert str(facts) == "bot.py: no answer within 5 s"


@pytest.mark.exhaustive
@pytest.mark.django_db(transaction=True)
def test_sentences_of_older_versions_become_facts_and_back(user, competition):
    sentences = {
        "In its qualification match it made a fault (crash): turn 1: it ended\n(status 1)": (
            "fault",
            {"fault": "crash", "reason": "turn 1: it ended\n(status 1)"},
        ),
        "The platform could not build it and will try again: no room": ("platform", {"why": "no room"}),
        "The build failed: cc exited with status 1; see the log": ("build", {}),
        "100% of {0} and %(why)s: %s\n": ("build", {}),  # of a bot's own making
        "": (None, None),
    }
    numbers = [submit(user, competition).pk for _ in sentences]

    old = migrated("0002_indexes")
    for number, sentence in zip(numbers, sentences, strict=True):
        old.objects.filter(pk=number).update(reason=sentence)
    new = migrated("0004_no_sentences")
    facts = [new.objects.get(pk=number).why for number in numbers]
    assert [(each.get("kind"), each.get("values")) for each in facts] == list(sentences.values())

    again = migrated("0002_indexes")
    kept = [again.objects.get(pk=number).reason for number in numbers]
    migrate_all()
    assert kept == list(sentences)
    assert [str(StoredReason(each.get("text", ""), each.get("values", {}))) for each in facts] == [
        sentence.replace("(crash)", "(crashed)") for sentence in sentences
    ]


def migrated(to: str, app: str = "bots", model: str = "Submission"):
    """Migrate the app's tables to `to`; its model as it was then."""
    return migrate_to((app, to)).get_model(app, model)


@pytest.mark.exhaustive
@pytest.mark.django_db(transaction=True)
def test_the_reasons_of_older_matches_are_kept_both_ways(competition):
    sentences = ["One of its bots was withdrawn, stopped, or deleted.", "100% of %(why)s", ""]
    old = migrated("0005_no_challenges", "matches", "Match")
    fields = {"competition_id": competition.pk, "kind": "ladder", "queue": "bulk", "seed": 1}
    numbers = [old.objects.create(reason=each, **fields).pk for each in sentences]

    migrate_to(("matches", "0006_reasons"))
    with translation.override("ru"):
        shown = [str(Match.objects.only("reason").get(pk=number).reason) for number in numbers]
    again = migrated("0005_no_challenges", "matches", "Match")
    kept = [again.objects.get(pk=number).reason for number in numbers]
    migrate_all()

    assert kept == sentences
    assert shown == ["Один из его ботов снят, остановлен или удалён.", "100% of %(why)s", ""]
