"""Tournaments that start by themselves: which bots enter, in how many rounds, and what cannot prevent it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.bots.models import Bot
from agon.site.competitions import organizing
from agon.site.competitions.models import Competition
from agon.site.events import notices
from agon.site.tournaments import deadlines, entering, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament, Start
from agon.site.tournaments.states import State
from agon.site.use_cases import leaving_play
from tests.support.factories import activate

from .test_running import NAMES, boss, bots, rps

__all__ = ["boss", "bots", "rps"]
pytestmark = pytest.mark.production


def final(boss, rps, field="people", bots=()):
    soon = Start(timezone.now() + timedelta(hours=1), field)
    return services.create(boss, rps, "Final", "round_robin", 1, 1, bots, {}, soon)


def due(cup):
    Tournament.objects.filter(pk=cup.pk).update(starts_at=timezone.now() - timedelta(seconds=1))
    deadlines.tick()
    cup.refresh_from_db()


def test_a_final_starts_by_itself_with_the_bots_that_are_active_then(client, boss, rps, bots, user):
    cup = final(boss, rps)
    deadlines.tick()
    cup.refresh_from_db()
    assert cup.state == State.DRAFT
    assert "Final" in client.get("/c/rps/tournaments/").content.decode()

    activate(user, rps, ["e"])
    due(cup)

    assert cup.state == State.RUNNING
    assert set(cup.entrants.values_list("name", flat=True)) == {*NAMES, "e"}
    assert Act.objects.filter(verb="start", actor=None, tournament=cup).exists()


def test_chosen_bots_start_at_the_time_too(boss, rps, bots):
    cup = final(boss, rps, "chosen", bots[:3])
    due(cup)
    assert list(cup.entrants.values_list("name", flat=True)) == ["a", "b", "c"]


def test_a_chosen_bot_that_left_keeps_nobody_from_playing_at_the_announced_time(boss, rps, bots):
    """Who fears the final cannot prevent it by withdrawing."""
    cup = final(boss, rps, "chosen", bots)
    leaving_play.withdraw(bots[0], bots[0].owner)
    with pytest.raises(BadTournament, match="a has no active submission"):
        deadlines.start_now(cup, boss)  # by hand, an organizer decides
    due(cup)
    assert (cup.state, list(cup.entrants.values_list("name", flat=True))) == (State.RUNNING, ["b", "c", "d"])
    assert Act.objects.get(verb="start", tournament=cup).reason == "Left play before the start: a."


def test_a_draft_whose_owners_enter_starts_without_those_who_left(boss, rps, bots, user):
    """An organizer cannot take such an entry back, so it would block the start for good."""
    cup = services.create(boss, rps, "Cup", "round_robin", 1, 1, [], sources_open=True)
    for bot in bots[:3]:
        entering.enter(cup, bot, user)
    leaving_play.withdraw(bots[1], user)
    deadlines.start_now(cup, boss, "now")
    assert list(cup.entrants.values_list("name", flat=True)) == ["a", "c"]
    assert Act.objects.get(verb="start").reason == "now Left play before the start: b."


def test_a_final_that_was_put_off_while_the_sweep_read_it_waits(boss, rps, bots):
    cup = final(boss, rps)
    seen_by_the_sweep = Tournament.objects.get(pk=cup.pk)
    seen_by_the_sweep.starts_at = timezone.now() - timedelta(seconds=1)
    assert not deadlines.start(seen_by_the_sweep)
    cup.refresh_from_db()
    assert (cup.state, cup.starts_at > timezone.now()) == (State.DRAFT, True)


@pytest.mark.parametrize("left", [0, 1])
def test_a_final_whose_field_is_too_small_stays_a_draft_and_says_why(boss, rps, bots, left):
    Bot.objects.exclude(pk__in=[bot.pk for bot in bots[:left]]).update(active=None)
    cup = final(boss, rps)
    due(cup)

    assert (cup.state, cup.starts_at, cup.entrants.count()) == (State.DRAFT, None, 0)
    entry = Act.objects.last()
    assert (entry.verb, entry.actor) == ("not started", None)
    assert f"expected 2 or more, got {left}" in entry.reason


def test_organizers_get_a_notice_when_a_final_cannot_start(client, boss, rps, user):
    """It was only a line in the log of a page that few look at by then."""
    organizing.add_organizer(rps, user.username, boss)
    cup = final(boss, rps)
    due(cup)
    for person in (boss, user):
        [event] = notices.of_account(person)
        assert (event.kind, event.data) == ("tournament.not_started", {"tournament": cup.pk})
    client.force_login(boss)
    page = client.get("/notices/").content.decode()
    assert "The tournament Final could not start at its time. Its log says why." in page


def test_a_final_that_someone_cancelled_is_not_started(boss, rps, bots):
    cup = final(boss, rps)
    services.cancel(cup, boss, "no hall")
    due(cup)
    assert cup.state == State.CANCELLED


def test_an_open_field_needs_a_time(boss, rps):
    with pytest.raises(BadTournament, match="Say when it starts") as refused:
        services.create(boss, rps, "Final", "round_robin", 1, 1, [], {}, Start(None, "all"))
    assert refused.value.field == "starts_at"


def test_a_final_with_an_open_field_may_be_started_before_its_time(client, boss, rps, bots):
    cup = final(boss, rps)
    client.force_login(boss)
    client.post(f"{cup.get_absolute_url()}start")
    cup.refresh_from_db()
    assert (cup.state, cup.starts_at) == (State.RUNNING, None)
    assert [entrant.name for entrant in cup.entrants.all()] == NAMES


def test_a_final_that_starts_just_after_it_was_changed_has_the_field_that_was_chosen_last(boss, rps, bots):
    cup = final(boss, rps, "all")
    Bot.objects.filter(pk=bots[0].pk).update(house=True)
    seen_before = Tournament.objects.get(pk=cup.pk)
    Tournament.objects.filter(pk=cup.pk).update(field="people")
    deadlines.start_now(seen_before, boss)
    assert list(cup.entrants.values_list("name", flat=True)) == ["b", "c", "d"]


def swiss_final(boss: User, rps: Competition, rounds: int | None = None) -> Tournament:
    start = Start(timezone.now() + timedelta(hours=1), Tournament.Field.PEOPLE)
    return services.create(boss, rps, "Final", "swiss", rounds, 1, [], {}, start)


@pytest.mark.first(1)
@pytest.mark.parametrize(("entrants", "rounds"), [(2, 1), (5, 3), (9, 4)])
def test_a_swiss_has_its_rounds_by_the_bots_that_are_there_at_the_start(
    client, boss, rps, user, entrants, rounds
):
    cup = swiss_final(boss, rps)
    assert "rounds: as many as leave one entrant unbeaten" in client.get(cup.get_absolute_url()).text

    activate(user, rps, [f"bot{number}" for number in range(entrants)])
    due(cup)

    assert (cup.state, cup.rounds) == (State.RUNNING, rounds)
    assert f"{rounds} round" in client.get(cup.get_absolute_url()).text


def test_a_chosen_number_of_rounds_stays_whatever_the_field(boss, rps, user):
    cup = swiss_final(boss, rps, rounds=2)
    activate(user, rps, [f"bot{number}" for number in range(9)])
    due(cup)
    assert (cup.state, cup.rounds) == (State.RUNNING, 2)


def test_a_format_that_proposes_no_rounds_needs_a_number(boss, rps, bots):
    with pytest.raises(BadTournament, match="Say how many rounds") as refused:
        services.create(boss, rps, "Cup", "round_robin", None, 1, bots)
    assert refused.value.field == "rounds"


def test_who_leaves_a_swiss_keeps_nobody_from_playing_in_as_many_rounds_as_are_left(boss, rps, bots):
    """Two rounds are too many for two bots: at the announced time they play one, and the log says why."""
    soon = Start(timezone.now() + timedelta(hours=1), "chosen")
    cup = services.create(boss, rps, "Swiss", "swiss", 2, 1, bots, {}, soon)
    for bot in bots[:2]:
        leaving_play.withdraw(bot, bot.owner)
    due(cup)
    assert (cup.state, cup.rounds, list(cup.entrants.values_list("name", flat=True))) == (
        State.RUNNING,
        1,
        ["c", "d"],
    )
    left = "Left play before the start: a, b."
    fewer = "Rounds: 1 instead of 2, as many as 2 bots can play."
    assert Act.objects.get(verb="start", tournament=cup).reason == f"{left} {fewer}"


@pytest.mark.parametrize(
    ("chosen", "fitted", "why"),
    [
        ({}, {"groups": 1, "advance": 2}, "Groups: 1 instead of 2, for 3 bots."),
        (
            {"groups": 1, "advance": 4},
            {"groups": 1, "advance": 3},
            "Advance from each group: 3 instead of 4, for 3 bots.",
        ),
        ({"groups": 1}, {"groups": 1, "advance": 2}, ""),
    ],
)
def test_who_leaves_before_a_final_in_groups_keeps_nobody_from_playing(
    client, boss, rps, bots, chosen, fitted, why
):
    soon = Start(timezone.now() + timedelta(hours=1), "people")
    cup = services.create(boss, rps, "Final", "groups", 1, 1, [], chosen, soon)
    leaving_play.withdraw(bots[0], bots[0].owner)
    assert "too few bots would enter now" not in client.get(cup.get_absolute_url()).text
    due(cup)
    assert (cup.state, cup.format_settings | fitted) == (State.RUNNING, cup.format_settings)
    assert Act.objects.get(verb="start", tournament=cup).reason == why


def test_a_final_until_decided_has_matches_for_all_who_are_there(boss, rps, bots):
    """Many who enter just before it keep nobody from playing, either."""
    soon = Start(timezone.now() + timedelta(hours=1), "people")
    cup = services.create(boss, rps, "Final", "until_decided", 1, 1, [], {"budget": 18}, soon)
    due(cup)
    assert (cup.state, cup.format_settings["budget"]) == (State.RUNNING, 24)
    assert Act.objects.get(verb="start", tournament=cup).reason == (
        "Matches at most: 24 instead of 18, for 4 bots."
    )


@pytest.mark.parametrize("left", [0, 1])
def test_a_final_in_groups_needs_two_bots(boss, rps, bots, left):
    soon = Start(timezone.now() + timedelta(hours=1), "people")
    cup = services.create(boss, rps, "Final", "groups", 1, 1, [], {}, soon)
    Bot.objects.exclude(pk__in=[bot.pk for bot in bots[:left]]).update(active=None)
    due(cup)
    assert (cup.state, cup.format_settings["groups"]) == (State.DRAFT, 2)
    assert f"expected 2 or more, got {left}" in Act.objects.last().reason


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no clock of its own")
def test_a_machine_whose_clock_is_ahead_starts_nothing_early(boss, rps, bots, monkeypatch):
    cup = final(boss, rps)
    ahead = timezone.now() + timedelta(days=1)
    monkeypatch.setattr(timezone, "now", lambda: ahead)
    deadlines.tick()
    cup.refresh_from_db()
    assert cup.state == State.DRAFT
