"""Sources are opened where that was said beforehand, and of bots that their owners entered."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.archives import storing
from agon.site.audit.models import Act
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.matches.models import Seat
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament
from agon.site.tournaments.states import State
from tests.support.factories import activate, active_bots, duel

pytestmark = pytest.mark.django_db
PROMISE = "When it is over, everyone can read the programs of its entrants"


@pytest.fixture
def rps():
    return Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")


@pytest.fixture
def olga(rps):
    """An organizer who takes part."""
    olga = User.objects.create_user("olga")
    olga.groups.add(Group.objects.get(name="Organizers"))
    activate(olga, rps, ["Olga's"])
    return olga


@pytest.fixture
def bots(user, rps):
    return active_bots(user, rps, ["a", "b", "c"])


@pytest.fixture
def boss():
    return User.objects.create_superuser("boss")


def browser(person):
    client = Client()
    client.force_login(person)
    return client


def made(organizer, rps, bots=(), **fields):
    """What the page makes of the form; None if it refuses it."""
    sent = {
        "name": "Cup", "format": "round_robin", "rounds": "1", "seed": "1", "field": "chosen",
        "release": "public", "bots": [bot.pk for bot in bots], "sources_open": "on",
    }  # fmt: skip
    answer = browser(organizer).post("/c/rps/tournaments/new/", sent | fields)
    return Tournament.objects.get() if answer.status_code == 302 else None


def enter(cup, person, bot, act="enter", **more):
    return browser(person).post(f"{cup.get_absolute_url()}enter", {"act": act, "bot": bot.pk, **more})


def play(cup):
    scheduling.tick()
    while (match := leases.claim("w")) is not None:
        leases.finish(match, duel(match, ["a", "b", "c"]))
    scheduling.tick()
    cup.refresh_from_db()


def entered(cup):
    return list(cup.entrants.values_list("bot__name", flat=True))


def test_an_organizer_cannot_open_sources_of_a_tournament_that_was_made_without(olga, rps, bots):
    cup = services.create(olga, rps, "Cup", "round_robin", 1, 1, bots)
    services.start(cup)
    play(cup)
    browser(olga).post(f"{cup.get_absolute_url()}organize", {"act": "open", "reason": "for all to learn"})
    storing.make(cup)
    assert Client().get(f"{cup.get_absolute_url()}sources").status_code == 404
    assert not Tournament.objects.get().sources_open


def test_an_organizer_cannot_put_bots_of_others_into_one_that_opens_sources(olga, rps, bots):
    assert made(olga, rps, bots) is None
    soon = timezone.now() + timezone.timedelta(hours=1)
    assert made(olga, rps, field="people", starts_at=f"{soon:%Y-%m-%dT%H:%M}") is None
    assert made(olga, rps, field="all", starts_at=f"{soon:%Y-%m-%dT%H:%M}") is None
    cup = made(olga, rps, [olga.bots.get()])
    assert entered(cup) == ["Olga's"]
    enter(cup, olga, bots[0], reason="come in")
    assert entered(cup) == ["Olga's"]
    with pytest.raises(BadTournament):
        services.create(olga, rps, "Other", "round_robin", 1, 1, bots, sources_open=True)


def test_owners_enter_their_bots_after_they_are_told_and_take_them_back(olga, rps, bots, user):
    cup = made(olga, rps)
    assert PROMISE in Client().get(cup.get_absolute_url()).content.decode()
    enter(cup, user, bots[0])
    enter(cup, user, bots[0])
    enter(cup, user, bots[1])
    enter(cup, user, bots[2])
    assert entered(cup) == ["a", "b", "c"]
    enter(cup, user, bots[1], "leave")
    assert entered(cup) == ["a", "c"]
    assert [(act.verb, act.actor, act.subject) for act in cup.acts.all()][1:] == [
        ("enter", user, "a"), ("enter", user, "b"), ("enter", user, "c"), ("leave", user, "b"),
    ]  # fmt: skip
    services.start(cup)
    assert PROMISE in Client().get(cup.get_absolute_url()).content.decode()
    enter(cup, user, bots[0], "leave")
    enter(cup, user, bots[1])
    assert entered(cup) == ["a", "c"]
    play(cup)
    assert cup.state == State.FINISHED
    storing.make(cup)
    assert Client().get(f"{cup.get_absolute_url()}sources").status_code == 200


def test_an_administrator_enters_the_bot_of_another_with_an_entry_and_a_reason(boss, olga, rps, bots):
    cup = made(olga, rps)
    enter(cup, boss, bots[0])
    assert entered(cup) == []
    enter(cup, boss, bots[0], reason="its author asked for it")
    act = Act.objects.last()
    assert (entered(cup), act.actor, act.reason, act.tournament) == (
        ["a"],
        boss,
        "its author asked for it",
        cup,
    )


def test_no_one_enters_bots_into_other_tournaments(olga, rps, bots, user):
    cup = services.create(olga, rps, "Cup", "round_robin", 1, 1, bots[:2])
    assert enter(cup, user, bots[2]).status_code == 404
    assert enter(cup, olga, olga.bots.get()).status_code == 404
    assert entered(cup) == ["a", "b"]


@pytest.fixture
def private(olga, rps, bots):
    """A started tournament of an organizer who takes part, and what there is to see after a match."""
    cup = services.create(olga, rps, "Cup", "round_robin", 1, 1, [*bots, olga.bots.get()])
    services.start(cup)
    leases.finish(match := leases.claim("w"), duel(match, ["a", "b", "c"]))
    seat = Seat.objects.filter(
        match__tournament=cup, match__state="finished", submission__bot=bots[0]
    ).first()
    return cup, [
        f"/matches/{seat.match_id}/stderr/{seat.number}",
        f"{cup.get_absolute_url()}logs.jsonl",
        f"/submissions/{bots[0].active_id}/",
    ]


@pytest.mark.first(1)
@pytest.mark.parametrize("also", [(), ("tournaments.change_tournament", "bots.view_submission")])
def test_an_organizer_who_takes_part_sees_no_stderr_and_no_source_before_the_end(also, private, olga, rps):
    cup, addresses = private
    for codename in also:
        olga.user_permissions.add(Permission.objects.get(codename=codename.partition(".")[2]))
    assert [browser(olga).get(address).status_code for address in addresses] == [404] * 3
    services.pause(cup)
    assert [browser(olga).get(address).status_code for address in addresses] == [404] * 3
    services.resume(cup)
    browser(olga).post(  # leaving does not help
        f"{cup.get_absolute_url()}organize",
        {"act": "withdraw", "entrant": "3", "reason": "to look at the others"},
    )
    assert cup.entrants.get(number=3).left == "withdrawn"
    assert [browser(olga).get(address).status_code for address in addresses] == [404] * 3
    play(cup)
    assert [browser(olga).get(address).status_code for address in addresses[:2]] == [200] * 2
    if also:
        assert browser(olga).get(addresses[2]).status_code == 200


def test_an_organizer_who_does_not_take_part_sees_stderr_as_before(private, boss):
    _cup, addresses = private
    assert [browser(boss).get(address).status_code for address in addresses[:2]] == [200] * 2
