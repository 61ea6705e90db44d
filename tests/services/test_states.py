"""The state machines allow the changes listed here and no others, whatever an old copy says."""

import itertools
from types import SimpleNamespace

import pytest
from django.core.management import call_command

import bots.states
import matches.states
import tournaments.states
from agon.transitions import IllegalTransition
from bots import reasons
from matches.models import Match
from tournaments.models import Tournament

from .conftest import submit

pytestmark = pytest.mark.production

OF_BOTS = SimpleNamespace(
    __name__="bots.states.bots",
    State=bots.states.BotState,
    TRANSITIONS=bots.states.BOT_TRANSITIONS,
    move=bots.states.move_bot,
)
MACHINES = (bots.states, OF_BOTS, matches.states, tournaments.states)
# Written out a second time: compared with the tables of the modules, never taken from them.
ALLOWED = {
    "bots.states": {
        ("received", "building"),
        ("received", "rejected"),
        ("building", "built"),
        ("building", "received"),
        ("building", "rejected"),
        ("built", "qualifying"),
        ("built", "rejected"),
        ("qualifying", "active"),
        ("qualifying", "built"),
        ("qualifying", "rejected"),
        ("qualifying", "replaced"),
        ("active", "out"),
        ("active", "replaced"),
        ("out", "active"),
        ("rejected", "removed"),
    },
    "bots.states.bots": {
        ("entered", "withdrawn"),
        ("entered", "stopped"),
        ("entered", "deleted"),
        ("withdrawn", "entered"),
        ("withdrawn", "stopped"),
        ("withdrawn", "deleted"),
        ("stopped", "entered"),
        ("stopped", "deleted"),
    },
    "matches.states": {
        ("queued", "running"),
        ("queued", "held"),
        ("queued", "withdrawn"),
        ("held", "queued"),
        ("held", "withdrawn"),
        ("running", "finished"),
        ("running", "queued"),
        ("running", "held"),
        ("running", "void"),
        ("running", "withdrawn"),
        ("withdrawn", "queued"),
        ("withdrawn", "held"),
    },
    "tournaments.states": {
        ("draft", "running"),
        ("draft", "cancelled"),
        ("running", "paused"),
        ("running", "finished"),
        ("running", "cancelled"),
        ("paused", "running"),
        ("paused", "cancelled"),
    },
}
CHANGES = [
    pytest.param(machine, found, wanted, id=f"{machine.__name__}-{found}-{wanted}")
    for machine in MACHINES
    for found, wanted in itertools.product(machine.State, repeat=2)
]


@pytest.fixture
def row(user, competition, machine):
    if machine is bots.states:
        return submit(user, competition)
    if machine is OF_BOTS:
        return submit(user, competition).bot
    if machine is matches.states:
        return Match.objects.create(
            competition=competition, kind=Match.Kind.LADDER, queue=Match.Queue.BULK, seed=1
        )
    return Tournament.objects.create(competition=competition, name="cup", format="drawn", organiser=user)


@pytest.mark.parametrize(("machine", "found", "wanted"), CHANGES)
def test_only_the_changes_listed_here_are_made(row, machine, found, wanted):
    type(row).objects.filter(pk=row.pk).update(state=found)

    if (found, wanted) in ALLOWED[machine.__name__]:
        assert machine.move(row, wanted).state == wanted
    else:
        with pytest.raises(IllegalTransition) as refused:
            machine.move(row, wanted)
        assert (refused.value.found, refused.value.wanted) == (found, wanted)
        wanted = found

    row.refresh_from_db()
    assert row.state == wanted


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.__name__)
def test_every_state_can_be_reached_from_the_first(machine):
    reached = {next(iter(machine.State)).value}
    while more := {wanted for found, wanted in ALLOWED[machine.__name__] if found in reached} - reached:
        reached |= more

    assert reached == set(machine.State.values)


def test_a_change_is_checked_against_the_row_not_against_the_copy_in_hand(user, competition):
    mine = submit(user, competition, state=bots.states.State.RECEIVED)
    bots.states.move(type(mine).objects.get(pk=mine.pk), bots.states.State.BUILDING)

    with pytest.raises(IllegalTransition, match="is building, it cannot become building"):
        bots.states.move(mine, bots.states.State.BUILDING)


def test_what_goes_with_a_change_is_written_with_it_and_nothing_else(user, competition):
    mine = submit(user, competition, state=bots.states.State.BUILDING)
    mine.build_log = "only in memory"

    bots.states.move(mine, bots.states.State.REJECTED, why=reasons.no_build("does not compile"))

    mine.refresh_from_db()
    assert (mine.reason, mine.build_log) == ("does not compile", "")


def test_many_rows_change_at_once_by_the_same_table(competition):
    Match.objects.create(competition=competition, kind=Match.Kind.LADDER, queue=Match.Queue.BULK, seed=1)
    State = matches.states.State

    assert matches.states.move_all(Match.objects.all(), State.QUEUED, State.HELD) == 1
    assert matches.states.move_all(Match.objects.all(), State.QUEUED, State.HELD) == 0
    with pytest.raises(ValueError, match="held cannot become finished"):
        matches.states.move_all(Match.objects.all(), State.HELD, State.FINISHED)


def test_the_migrations_make_what_the_models_say(db):
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
