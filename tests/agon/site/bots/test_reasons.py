"""Why a submission was rejected or waits: kept as facts, shown in the language of the reader."""

import pytest
from django.utils import translation

from agon.site.bots import reasons
from agon.site.bots.states import State
from games.core.reason import Reason
from tests.support.factories import submit
from tests.support.reasons import said

FAULT = {
    "en": "It committed a fault in its qualification match (too slow): turn 4: gave no answer within 2 s",
    "ja": "予選で反則がありました（時間切れ）: ターン4: 2秒以内に応答しませんでした",
    "ru": "Нарушение в отборочном матче (превышение времени): ход 4: не ответил за 2\xa0с",
}


@pytest.mark.parametrize("language", FAULT)
def test_a_fault_is_said_in_the_readers_language_and_so_is_its_reason(user, competition, language):
    with translation.override("ru"):  # the worker's
        why = reasons.fault(
            "timeout",
            Reason(
                "at",
                position=Reason("camel_up.turn", turn=4),
                reason=Reason("answer_too_slow", seconds=2),
            ),
        )
        rejected = submit(user, competition, state=State.REJECTED)
        type(rejected).objects.update(reason=why)
    rejected.refresh_from_db()
    with translation.override(language):
        assert str(rejected.reason) == FAULT[language]


def test_what_a_compiler_said_is_no_text_of_ours(db):
    assert str(reasons.no_build(said("100 % wrong: %(why)s"))) == "100 % wrong: %(why)s"
    assert str(reasons.no_build(Reason("build_failed", why="50 % done"))) == (
        "The build failed: 50 % done; see the log"
    )
