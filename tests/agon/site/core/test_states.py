"""A state machine makes the transitions listed here, and no others, whatever an old copy of the row says."""

import itertools

import pytest
from django.core.management import call_command
from django.utils import timezone

import agon.site.bots.states
import agon.site.fleet.states
import agon.site.matches.states
import agon.site.teams.states
import agon.site.tokens.states
import agon.site.tournaments.states
from agon.site.bots import reasons
from agon.site.core.db.transitions import IllegalTransition, Transition, move_all
from agon.site.fleet.models import OddWorker
from agon.site.matches.models import Match
from agon.site.teams import services
from agon.site.tokens import device
from agon.site.tournaments.models import Tournament
from tests.support.factories import submit
from tests.support.reasons import said

pytestmark = pytest.mark.production

SUBMISSION = {
    "START_BUILD": ("received", "building"),
    "FINISH_BUILD": ("building", "built"),
    "RETRY_BUILD": ("building", "received"),
    "QUALIFY": ("built", "qualifying"),
    "RETRY_QUALIFICATION": ("qualifying", "built"),
    "ACTIVATE": ("qualifying", "active"),
    "REJECT": ("received building built qualifying", "rejected"),
    "REPLACE": ("qualifying active", "replaced"),
    "LEAVE": ("active", "out"),
    "RETURN": ("out", "active"),
    "REMOVE": ("rejected", "removed"),
}
BOT = {
    "WITHDRAW": ("entered", "withdrawn"),
    "REENTER": ("withdrawn", "entered"),
    "STOP": ("entered withdrawn", "stopped"),
    "RELEASE": ("stopped", "entered"),
    "DELETE": ("entered withdrawn stopped", "deleted"),
}
MATCH = {
    "CLAIM": ("queued", "running"),
    "FINISH": ("running", "finished"),
    "REQUEUE": ("running", "queued"),
    "GIVE_UP": ("running", "void"),
    "HOLD": ("queued", "held"),
    "HOLD_AGAIN": ("running", "held"),
    "RESUME": ("held", "queued"),
    "WITHDRAW": ("queued held running", "withdrawn"),
    "RESTORE": ("withdrawn", "queued"),
    "RESTORE_HELD": ("withdrawn", "held"),
}
TOURNAMENT = {
    "START": ("draft", "running"),
    "PAUSE": ("running", "paused"),
    "RESUME": ("paused", "running"),
    "FINISH": ("running", "finished"),
    "REOPEN": ("finished", "running"),
    "CANCEL": ("draft running paused", "cancelled"),
}
WORKER = {"PARK": ("reported", "parked"), "RELEASE": ("parked reported", "released")}
DEVICE_LOGIN = {
    "APPROVE": ("pending", "approved"),
    "REFUSE": ("pending", "refused"),
    "COLLECT": ("approved", "collected"),
}
TEAM = {"CLOSE": ("open", "closed")}
MACHINES = {  # name: (module, its tuple of transitions, its states, the expected transitions)
    "submission": (
        agon.site.bots.states,
        agon.site.bots.states.SUBMISSION_TRANSITIONS,
        agon.site.bots.states.State,
        SUBMISSION,
    ),
    "bot": (
        agon.site.bots.states,
        agon.site.bots.states.BOT_TRANSITIONS,
        agon.site.bots.states.BotState,
        BOT,
    ),
    "match": (
        agon.site.matches.states,
        agon.site.matches.states.TRANSITIONS,
        agon.site.matches.states.State,
        MATCH,
    ),
    "worker": (
        agon.site.fleet.states,
        agon.site.fleet.states.TRANSITIONS,
        agon.site.fleet.states.WorkerState,
        WORKER,
    ),
    "device login": (
        agon.site.tokens.states,
        agon.site.tokens.states.TRANSITIONS,
        agon.site.tokens.states.State,
        DEVICE_LOGIN,
    ),
    "team": (
        agon.site.teams.states,
        agon.site.teams.states.TRANSITIONS,
        agon.site.teams.states.State,
        TEAM,
    ),
    "tournament": (
        agon.site.tournaments.states,
        agon.site.tournaments.states.TRANSITIONS,
        agon.site.tournaments.states.State,
        TOURNAMENT,
    ),
}
CASES = [
    pytest.param(machine, name, state, id=f"{machine}-{name}-{state}")
    for machine, (_, _, states, expected) in MACHINES.items()
    for name, state in itertools.product(expected, states.values)
]


@pytest.fixture
def row(user, competition, machine):
    match machine:
        case "submission":
            return submit(user, competition)
        case "bot":
            return submit(user, competition).bot
        case "match":
            return a_match(competition)
        case "worker":
            return OddWorker.objects.create(
                worker="host:core0", competition=competition, found=timezone.now()
            )
        case "device login":
            return device.begin("agon", ())[0]
        case "team":
            return services.create("Quokkas", user)
    return Tournament.objects.create(
        competition=competition, name="cup", format="drawn", seats=4, organizer=user
    )


def a_match(competition) -> Match:
    return Match.objects.create(
        competition=competition, kind=Match.Kind.LADDER, queue=Match.Queue.BULK, seed=1
    )


@pytest.mark.first(60)
@pytest.mark.parametrize(("machine", "name", "state"), CASES)
def test_a_transition_starts_from_its_sources_alone(row, machine, name, state):
    module, _, _, expected = MACHINES[machine]
    transition: Transition = getattr(module, name)
    sources, target = expected[name]
    type(row).objects.filter(pk=row.pk).update(state=state)

    if state in sources.split():
        assert row.move(transition).state == target
    else:
        with pytest.raises(IllegalTransition) as refused:
            row.move(transition)
        assert (refused.value.actual, refused.value.transition) == (state, transition)
        target = state

    row.refresh_from_db()
    assert row.state == target


@pytest.mark.parametrize("machine", MACHINES)
def test_there_are_no_other_transitions(machine):
    module, transitions, _, expected = MACHINES[machine]

    assert len(transitions) == len(expected)
    assert set(transitions) == {getattr(module, name) for name in expected}


def test_a_transition_is_checked_against_the_row_not_against_the_copy_in_hand(user, competition):
    mine = submit(user, competition, state=agon.site.bots.states.State.RECEIVED)
    type(mine).objects.get(pk=mine.pk).move(agon.site.bots.states.START_BUILD)

    with pytest.raises(IllegalTransition, match="is building: cannot build it"):
        mine.move(agon.site.bots.states.START_BUILD)


def test_what_goes_with_a_transition_is_written_with_it_and_nothing_else(user, competition):
    mine = submit(user, competition, state=agon.site.bots.states.State.BUILDING)
    mine.build_log = "only in memory"

    mine.move(agon.site.bots.states.REJECT, reason=reasons.no_build(said("does not compile")))

    mine.refresh_from_db()
    assert (str(mine.reason), mine.build_log) == ("does not compile", "")


def test_of_many_rows_those_move_that_are_in_a_source(competition):
    queued, running = a_match(competition), a_match(competition)
    Match.objects.filter(pk=running.pk).update(state="running")

    assert move_all(Match.objects.all(), agon.site.matches.states.HOLD) == 1
    assert move_all(Match.objects.all(), agon.site.matches.states.HOLD) == 0

    assert Match.objects.get(pk=queued.pk).state == "held"
    assert Match.objects.get(pk=running.pk).state == "running"


def test_the_migrations_make_what_the_models_say(db):
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
