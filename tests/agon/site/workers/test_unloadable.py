"""A function that cannot be loaded is refused when it is built: it plays no match; its author is told why."""

import pytest

from agon.site.bots.models import Submission
from agon.site.bots.services import receive
from agon.site.bots.states import State
from agon.site.competitions.models import Competition
from agon.site.matches.models import Match
from agon.site.workers import building
from sandbox.backends import open_sandbox

pytestmark = [pytest.mark.slow, pytest.mark.django_db]


@pytest.fixture
def honest_rps():
    return Competition.objects.create(slug="honest_rps", game="honest_rps", title="Honest RPS")


@pytest.mark.parametrize(
    ("text", "reason", "printed"),
    [
        ("def bot(one): pass", "bot.py: bot is called with 4 arguments, it is defined as bot(one)", ""),
        (
            "import time\nprint('on my way', flush=True)\ntime.sleep(60)",
            "loading took longer than 5 s; the last line that it printed: on my way",
            "on my way\n",
        ),
        (
            "x = 1\nx.nonsense",
            "bot.py raised AttributeError: 'int' object has no attribute 'nonsense' (bot.py, line 2)",
            "AttributeError: 'int' object has no attribute 'nonsense'\n",
        ),
    ],
)
def test_it_is_rejected_without_a_match(user, honest_rps, settings, store, text, reason, printed):
    settings.AGON_ARTIFACTS = store
    receive(user, honest_rps, "Rita", "bot.py", text.encode())
    sandbox = open_sandbox("bubblewrap")
    try:
        assert building.build_next(sandbox)
    finally:
        sandbox.close()
    submission = Submission.objects.get()
    assert submission.state == State.REJECTED
    assert str(submission.reason) == reason
    assert submission.build_log.endswith(printed)
    assert not Match.objects.exists()
