"""No bot makes the machine too busy for its match, so that it is played again: not with its author's others.

Other boxes spin in as many processes as a box may have, on the core of the match, but not in it: as those of
another worker's match, of a trial or of a build would, if these had the same core. Nothing suspends them.
"""

import pytest

from sandbox.api import Limits, Line
from sandbox.boxes import blame, cgroup
from tests.sandbox.test_fair_time import HOG, SPIN
from tests.sandbox.test_pretending import pretender
from tests.support.cpu_load import ask, busy_processor

pytestmark = [pytest.mark.slow, pytest.mark.serial, pytest.mark.one_core]

LIMIT = 0.2  # seconds; the platform gives a match up after 70 of them and 5.5 s
CROWD = Limits(processes=64)
# The loser: it computes, though it has lost; it sleeps, and is ready whenever it is sampled.
WAITS = {
    "computes": SPIN,
    "naps": pretender("napping"),
    "yields": pretender("yielding"),
    "in threads": pretender("in_two_threads"),
    "in short children": pretender("in_short_children"),
}
ATTACKS = [
    ("computes", "sessions"),
    ("naps", "threads"),
    ("yields", "sessions"),
    ("in threads", "sessions"),
    ("in short children", "threads"),
    ("computes", "yielding"),
    ("naps", "at_times"),
]


@pytest.fixture(params=["grouped", pytest.param("ungrouped", marks=pytest.mark.exhaustive)])
def grouped(request, monkeypatch, sandbox):
    """With a share of the processors for each box, and, where the backend can do without, without."""
    if request.param == "ungrouped":
        if sandbox.name == "docker":
            pytest.skip("a container always has a control group")
        monkeypatch.setattr(cgroup, "available", tuple)


@pytest.fixture
def crowd(session):
    """crowd(boxes, how): boxes of another match that spin until the end of the test."""

    def start(boxes, how):
        for _ in range(boxes):
            hog = session(HOG.replace("{how}", how).replace("range(30)", "range(60)"), CROWD).start()
            assert isinstance(ask(hog, b"\n", 60.0), Line)

    return start


@pytest.mark.exhaustive
@pytest.mark.usefixtures("grouped")
@pytest.mark.parametrize(("waits", "how"), ATTACKS)
def test_a_bot_whose_author_spins_in_other_boxes_gets_no_second_try(session, crowd, waits, how):
    """It is late, or answers after all: both count. A SandboxError would have its match played again."""
    with busy_processor(0):
        loser = session(WAITS[waits]).start()
        crowd(2, how)
        answer = ask(loser, b"60\n", LIMIT)
    assert isinstance(answer, Line) or answer.kind == "timeout", answer


@pytest.mark.usefixtures("grouped")
@pytest.mark.parametrize(
    "how",
    [
        "sessions",
        *(pytest.param(how, marks=pytest.mark.exhaustive) for how in ("threads", "at_times", "yielding")),
    ],
)
def test_no_boxes_make_the_worker_itself_wake_late(crowd, how):
    """If its naps end late, a silent sandbox is no bot's fault."""
    with busy_processor(0):
        crowd(3, how)
        late = [blame.overload_delay_s() for _ in range(3)]
    assert late == [0.0] * 3
