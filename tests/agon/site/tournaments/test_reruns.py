"""Matches run again beside the old results: compared, then applied or discarded, and never half of it."""

import re
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agon.contest.archive import verify
from agon.site.accounts.models import User
from agon.site.archives import services as archives
from agon.site.audit.models import Act
from agon.site.bots.models import Submission
from agon.site.core.db.leases import ATTEMPTS
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.matches.states import State as MatchState
from agon.site.tournaments import reruns, running, scheduling, services, standings
from agon.site.tournaments.models import Rerun, Tournament
from agon.site.tournaments.reruns import Choice
from agon.site.tournaments.services import BadTournament
from agon.site.tournaments.standings import current_standings
from agon.site.tournaments.states import State
from agon.site.use_cases import erasing, leaving_play
from tests.support.reasons import said
from tests.support.reruns import NAMES, begun, bots_of, play, ranks

pytestmark = pytest.mark.production


def test_new_results_count_only_when_they_are_applied(cup, boss, tmp_path):
    rerun = begun(cup, boss, bot=2)
    assert reruns.preview(rerun).done == 0
    play(["c", "b", "a"])
    assert ranks(cup) == {"a": 1, "b": 2, "c": 3}

    preview = reruns.preview(rerun)
    assert (preview.total, preview.done, preview.is_ready) == (4, 4, True)
    assert preview.outcomes == {("seat 1 won", "seat 2 won"): 2, ("seat 2 won", "seat 1 won"): 2}
    assert [(old.rank, new.bot, new.rank) for old, new in preview.table] == [
        (3, "c", 1),
        (1, "a", 2),
        (2, "b", 3),
    ]

    old = [pair.old_id for pair in rerun.matches.all()]
    reruns.apply(rerun, boss)

    assert ranks(cup) == {"c": 1, "a": 2, "b": 3}
    assert cup.matches.count() == 6
    assert not cup.matches.filter(pk__in=old).exists()
    assert Match.objects.filter(pk__in=old, state=MatchState.FINISHED).count() == 4
    assert [act.verb for act in Act.objects.filter(tournament=cup)][-2:] == ["rerun", "apply"]
    with (tmp_path / "cup.zip").open("wb") as file:
        archives.write_tournament(file, cup)
    assert verify.verify(tmp_path / "cup.zip").differences == ()


def test_discarded_results_change_nothing_and_are_played_no_further(cup, boss):
    rerun = begun(cup, boss, bot=2)
    play(["c", "b", "a"], limit=2)
    reruns.discard(rerun, boss, "it was the network after all")

    assert ranks(cup) == {"a": 1, "b": 2, "c": 3}
    assert leases.claim("w") is None
    withdrawn = Match.objects.filter(state=MatchState.WITHDRAWN)
    assert withdrawn.count() == 2
    assert all(timezone.now() - match.ended < timedelta(minutes=1) for match in withdrawn)
    with pytest.raises(BadTournament, match="applied or discarded already"):
        reruns.apply(rerun, boss)
    assert begun(cup, boss, bot=1).state == Rerun.State.PLAYING


def test_a_kill_in_the_middle_applies_nothing(cup, boss, monkeypatch):
    rerun = begun(cup, boss, bot=2)
    play(["c", "b", "a"])

    def killed(*arguments, **details):
        raise KeyboardInterrupt

    monkeypatch.setattr(reruns, "record", killed)
    with pytest.raises(KeyboardInterrupt), transaction.atomic():
        reruns.apply(rerun, boss)

    rerun.refresh_from_db()
    assert rerun.state == Rerun.State.PLAYING
    assert ranks(cup) == {"a": 1, "b": 2, "c": 3}
    monkeypatch.undo()
    reruns.apply(rerun, boss)
    assert ranks(cup)["c"] == 1


def test_where_a_new_match_becomes_void_the_old_result_stays(cup, boss):
    rerun = begun(cup, boss, numbers=(cup.matches.get(index=0).pk,))
    for _ in range(ATTEMPTS):
        leases.fail(leases.claim("w"), said("no sandbox"))
    assert reruns.preview(rerun).outcomes == {("seat 1 won", "no result"): 1}
    reruns.apply(rerun, boss)
    assert ranks(cup) == {"a": 1, "b": 2, "c": 3}
    assert cup.matches.get(index=0).state == MatchState.FINISHED


def test_matches_are_chosen_by_bot_worker_fault_time_and_hand(cup, boss):
    first = cup.matches.get(index=0)
    Match.objects.filter(pk=first.pk).update(
        worker="host:core7", finished_at=timezone.now() - timedelta(days=2)
    )
    seat = first.seats.first()
    seat.faults.create(kind="crash", step=0, reason=said("it crashed"))
    hour_ago = timezone.now() - timedelta(hours=1)
    for choice, indexes in [
        (Choice(bot=0), {0, 1, 2, 4}),
        (Choice(worker="core7"), {0}),
        (Choice(fault="crash"), {0}),
        (Choice(fault="timeout"), set()),
        (Choice(until=hour_ago), {0}),
        (Choice(since=hour_ago), {1, 2, 3, 4, 5}),
        (Choice(numbers=(first.pk, first.pk + 1)), {0, 1}),
        (Choice(bot=0, since=hour_ago), {1, 2, 4}),
    ]:
        assert set(reruns.select_matches(cup, choice).values_list("index", flat=True)) == indexes, choice


@pytest.fixture
def knockout(boss, cup):
    """Over: a has won the final."""
    settings = {"best_of": 1, "seeding": "order"}  # by lot, any of the three could have the bye
    made = services.create(boss, cup.competition, "KO", "single_elimination", 1, 1, bots_of(cup), settings)
    services.start(made, boss)
    return finish(made, NAMES)


def finish(tournament, order):
    tournament.refresh_from_db()
    while tournament.state == State.RUNNING:
        play(order)
        scheduling.tick()
        tournament.refresh_from_db()
    return tournament


def last_round(tournament):
    return tuple(tournament.matches.filter(round=1).values_list("pk", flat=True))


def is_sound(tournament, folder):
    with (folder / "archive.zip").open("wb") as file:
        archives.write_tournament(file, tournament)
    return verify.verify(folder / "archive.zip").differences == ()


def test_of_a_knock_out_only_the_last_round_is_run_again(knockout, boss):
    with pytest.raises(BadTournament, match="only the latest round of a paused or finished tournament"):
        begun(knockout, boss, bot=1)


def test_a_final_that_is_run_again_may_have_another_winner(knockout, boss, tmp_path):
    assert ranks(knockout) == {"a": 1, "b": 2, "c": 3}
    rerun = begun(knockout, boss, numbers=last_round(knockout))
    play(["b", "a"])
    assert ranks(knockout)["a"] == 1
    reruns.apply(rerun, boss)
    knockout.refresh_from_db()
    assert (knockout.state, ranks(knockout)) == (State.FINISHED, {"b": 1, "a": 2, "c": 3})
    assert is_sound(knockout, tmp_path)


def test_a_final_that_is_equal_after_it_was_run_again_is_played_on(knockout, boss, tmp_path):
    rerun = begun(knockout, boss, numbers=last_round(knockout))
    play([])  # a draw
    reruns.apply(rerun, boss)
    knockout.refresh_from_db()
    assert knockout.state == State.RUNNING
    finish(knockout, ["b", "a"])
    assert (knockout.matches.count(), ranks(knockout)) == (4, {"b": 1, "a": 2, "c": 3})
    assert is_sound(knockout, tmp_path)


def test_a_bot_that_is_deleted_while_a_final_is_run_again_plays_on_with_its_program(knockout, boss):
    rerun = begun(knockout, boss, numbers=last_round(knockout))
    finalist = knockout.entrants.get(name="b").frozen
    Submission.objects.filter(pk=finalist.pk).update(source="sources/b", artifact="artifacts/b.tar")
    leaving_play.delete(finalist.bot, finalist.bot.owner)
    play([])  # a draw
    assert erasing.erase_due() == 0
    reruns.apply(rerun, boss)
    assert erasing.erase_due() == 0
    finish(knockout, ["b", "a"])
    assert ranks(knockout)["b"] == 1
    assert erasing.erase_due() == 0  # it can be run again
    Tournament.objects.update(finished_at=timezone.now() - timedelta(days=15))
    assert erasing.erase_due() == 1


def test_who_is_out_and_deletes_the_bot_keeps_nobody_from_playing_on(knockout, boss):
    bot = knockout.entrants.get(name="c").bot
    leaving_play.delete(bot, bot.owner)
    rerun = begun(knockout, boss, numbers=last_round(knockout))
    play([])  # a draw
    reruns.apply(rerun, boss)
    finish(knockout, ["b", "a"])
    assert ranks(knockout)["b"] == 1


def test_no_tournament_goes_on_whose_next_round_seats_a_bot_without_a_program(cup, boss):
    """It would have void matches alone. An organizer who disqualifies the bot may apply the results."""
    made = services.create(boss, cup.competition, "Long", "until_decided", 1, 1, bots_of(cup), {"budget": 60})
    services.start(made, boss)
    finish(made, NAMES)
    bot = made.entrants.get(name="c").bot
    leaving_play.delete(bot, bot.owner)
    others = made.matches.exclude(seats__submission__bot=bot).values_list("pk", flat=True)
    rerun = begun(made, boss, numbers=tuple(others))
    play([])  # whether a or b is better is not decided
    with pytest.raises(BadTournament, match="their programs erased: c"):
        reruns.apply(rerun, boss)
    made.refresh_from_db()
    assert (made.state, made.reruns.get().state) == (State.FINISHED, Rerun.State.PLAYING)


def test_it_is_all_done_in_the_browser_and_hidden_until_it_counts(cup, boss):
    desk, stranger = Client(), Client()
    desk.force_login(boss)
    address = f"/tournaments/{cup.pk}/rerun"
    assert desk.post(address, {"act": "begin", "numbers": "x", "reason": "why"}).status_code == 422
    desk.post(address, {"act": "begin", "entrant": "2", "reason": "a broken worker"})
    play(["c", "b", "a"])
    new = cup.reruns.get().matches.first().new

    page = desk.get(address).content.decode()
    assert "4 of 4 matches" in page
    assert stranger.get(new.get_absolute_url()).status_code == 404
    desk.post(address, {"act": "apply", "reason": "the new host is sound"})
    assert stranger.get(new.get_absolute_url()).status_code == 200
    assert stranger.get(cup.reruns.get().matches.first().old.get_absolute_url()).status_code == 200
    assert "a broken worker" in stranger.get(cup.get_absolute_url()).content.decode()


def test_everyone_sees_what_was_discarded_as_far_as_results_are_released(cup, boss):
    """An organizer who runs matches again until the result suits is seen with the results that did not."""
    orga = User.objects.create_user("orga")
    cup.competition.organizers.create(user=orga)
    desk, stranger = Client(), Client()
    desk.force_login(orga)
    rerun = begun(cup, boss, bot=2)
    play(["c", "b", "a"])
    address = rerun.matches.first().new.get_absolute_url()
    assert [browser.get(address).status_code for browser in (desk, stranger)] == [200, 404]
    reruns.discard(rerun, boss, "c must not win")
    assert [browser.get(address).status_code for browser in (desk, stranger)] == [200, 200]
    running.release(cup, Tournament.Release.ORGANIZERS, boss)
    assert [browser.get(address).status_code for browser in (desk, stranger)] == [200, 404]


def test_the_page_says_what_was_done(cup, boss, client):
    client.force_login(boss)
    address = f"/tournaments/{cup.pk}/rerun"
    begun_page = client.post(address, {"act": "begin", "entrant": "2", "reason": "why"}, follow=True).text
    assert "4 matches are run again." in begun_page
    play(NAMES)
    assert begun_page.count('name="act"') == 1  # it cannot be applied yet
    page = client.get(address).text
    assert re.findall(r'name="act" value="(\w+)"', page) == ["apply", "discard"]
    applied = client.post(address, {"act": "apply", "reason": "why"}, follow=True).text
    assert "The new results were applied." in applied

    client.post(address, {"act": "begin", "entrant": "2", "reason": "why"})
    discarded = client.post(address, {"act": "discard", "reason": "why"}, follow=True).text
    assert "The new results were discarded." in discarded


def test_all_void_matches_are_selected_at_once(cup, boss, client):
    void = list(cup.matches.order_by("index").values_list("pk", flat=True)[1:3])
    Match.objects.filter(pk__in=void).update(state=MatchState.VOID)
    client.force_login(boss)
    client.post(f"/tournaments/{cup.pk}/rerun", {"act": "begin", "void": "on", "reason": "why"})
    assert [match.old_id for match in cup.reruns.get().matches.order_by("old__index")] == void
    assert Act.objects.last().details["choice"] == {"void": True}


@pytest.mark.parametrize("act", ["withdraw", "prize", "begin", "pause"])
def test_a_null_character_is_refused(cup, boss, client, act):
    """PostgreSQL cannot store it in a text."""
    client.force_login(boss)
    bad = "a\0b"
    address = {"begin": "rerun", "pause": "pause"}.get(act, "organize")
    if act in ("withdraw", "pause"):
        Tournament.objects.filter(pk=cup.pk).update(state=State.RUNNING)
    sent = {"act": act, "entrant": "1", "reason": bad, "prize": bad}
    assert client.post(f"/tournaments/{cup.pk}/{address}", sent).status_code in (302, 422)
    assert not Act.objects.filter(reason__contains="a").exclude(verb="create").exists()
    cup.refresh_from_db()
    assert cup.prize == ""


def test_pages_show_applied_results_at_once(cup, boss, client):
    def shown():
        page = client.get(cup.get_absolute_url()).context
        matrix = client.get(f"/tournaments/{cup.pk}/matrix").context["matrix"]
        return [row.bot for row, _bot in page["standings"]], [row.entrant.name for row in matrix.rows]

    assert shown() == (["a", "b", "c"], ["a", "b", "c"])
    rerun = begun(cup, boss, bot=2)
    play(["c", "b", "a"])
    reruns.apply(rerun, boss)
    assert shown() == (["c", "a", "b"], ["c", "a", "b"])


def test_standings_that_were_computed_while_results_were_applied_are_not_kept(cup, boss, monkeypatch):
    rerun = begun(cup, boss, bot=2)
    play(["c", "b", "a"])

    def slowly(tournament):
        rows = current_standings(tournament)
        reruns.apply(rerun, boss)
        return rows

    with monkeypatch.context() as patched:
        patched.setattr(standings, "current_standings", slowly)
        standings.recent_standings(cup)
    assert [row.bot for row in standings.recent_standings(cup)] == ["c", "a", "b"]


def test_many_matches_take_as_few_queries_as_one(cup, boss):
    def queries(**choice):
        with CaptureQueriesContext(connection) as caught:
            rerun = begun(cup, boss, **choice)
        begin = len(caught)
        play(NAMES)
        with CaptureQueriesContext(connection) as caught:
            reruns.apply(rerun, boss)
        return begin, len(caught)

    few = queries(numbers=(cup.matches.get(index=0).pk,))
    assert queries(since=timezone.now() - timedelta(hours=1)) == few


def test_the_log_says_how_many_matches_it_names(cup, boss, client, monkeypatch):
    monkeypatch.setattr(reruns, "LISTED", 3)
    rerun = begun(cup, boss, bot=2)
    play(["c", "b", "a"])
    assert "names the first 3 of 4 matches" in client.get(cup.get_absolute_url()).content.decode()
    reruns.apply(rerun, boss)
    page = client.get(cup.get_absolute_url()).content.decode()
    assert page.count("names the first 3 of 4 matches") == 2
    ran, applied = Act.objects.filter(tournament=cup, verb__in=["rerun", "apply"])
    assert (len(ran.details["matches"]), ran.details["of"]) == (3, 4)
    assert (len(applied.details["replaced"]), applied.details["of"]) == (3, 4)


def test_it_says_nothing_where_all_are_named(cup, boss, client):
    begun(cup, boss, bot=2)
    assert "names the first" not in client.get(cup.get_absolute_url()).content.decode()


@pytest.mark.parametrize("stale", ["apply", "discard"])
def test_a_page_that_was_opened_before_acts_on_no_other_rerun(cup, boss, stale):
    client = Client()
    client.force_login(boss)
    address = f"/tournaments/{cup.pk}/rerun"
    first = begun(cup, boss, bot=2)
    play(["c", "b", "a"])
    forms = client.get(address).content.decode().split("<form")
    fields = next(
        re.findall(r'name="(\w+)" value="(\w+)"', form) for form in forms if f'value="{stale}"' in form
    )
    reruns.discard(first, boss, "by another organizer")
    second = begun(cup, boss, bot=0)
    play(["b", "c", "a"])

    answer = client.post(address, dict(fields) | {"reason": "why"}, follow=True)

    assert "applied or discarded already" in answer.content.decode()
    second.refresh_from_db()
    assert second.state == Rerun.State.PLAYING
