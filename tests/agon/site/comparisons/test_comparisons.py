"""Comparing two versions on the site: what is played, the verdict, who sees it, what waits for it."""

from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import State as SubmissionState
from agon.site.comparisons import progress, services
from agon.site.comparisons.models import Comparison
from agon.site.comparisons.services import NotComparable
from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import Rating
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import State
from agon.site.teams import services as team_services
from agon.site.use_cases import leaving_play, qualification, teams
from agon.site.workers import artifact_removal
from agon.statistics.compare.sequential import Verdict
from tests.support.factories import activate, duel, played, submit
from tests.support.reasons import said

from .conftest import names, play

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def browser_of(somebody) -> Client:
    client = Client()
    client.force_login(somebody)
    return client


def test_a_version_that_always_wins_is_better_after_sixteen_cycles(user, versions):
    new, old = versions
    comparison = services.start(user, new, old)
    played = play(comparison, lambda number: names(comparison))
    assert played == 32
    assert comparison.verdict == Verdict.BETTER
    assert 0 < comparison.low < comparison.value <= comparison.high
    page = browser_of(user).get(comparison.get_absolute_url()).content.decode()
    assert "Ada, version 2 is better than Ada, version 1." in page
    assert "32 of at most 400 matches" in page
    assert not Rating.objects.exclude(played=0).exists()


def test_both_sit_in_every_seat_of_every_seed(user, versions):
    new, old = versions
    comparison = services.start(user, new, old)
    matches = list(comparison.matches.order_by("index").prefetch_related("seats"))
    assert len(matches) == 32
    for first, second in zip(matches[::2], matches[1::2], strict=True):
        assert first.seed == second.seed
        assert [seat.submission_id for seat in first.seats.all()] != [
            seat.submission_id for seat in second.seats.all()
        ]
    assert len({match.seed for match in matches}) == 16
    assert not any(match.seed_is_public for match in matches)


@pytest.mark.exhaustive
def test_equal_versions_show_no_difference_and_no_more_than_the_cap_is_played(user, versions):
    comparison = services.start(user, *versions)
    played = play(comparison, lambda number: ())
    assert comparison.verdict == Verdict.NO_DIFFERENCE
    assert played <= comparison.most_matches
    assert comparison.low < 0 < comparison.high


def test_a_close_comparison_ends_at_the_cap(user, versions):
    new, old = versions
    comparison = services.start(user, new, old)
    Comparison.objects.filter(pk=comparison.pk).update(most_cycles=16)
    better, worse = names(comparison)
    played = play(comparison, lambda number: (better, worse) if number % 16 < 9 else (worse, better))
    assert played == 32
    assert comparison.verdict == Verdict.UNDECIDED


@pytest.mark.exhaustive
def test_a_void_match_leaves_its_cycle_out(user, versions):
    comparison = services.start(user, *versions)
    match = leases.claim("w")
    for _ in range(3):
        assert leases.fail(match, said("the host broke"))
        match = leases.claim("w")
        if match.index != 0:
            break
    assert leases.finish(match, duel(match, names(comparison)))
    assert comparison.matches.get(index=0).state == State.VOID
    play(comparison, lambda number: names(comparison))
    assert comparison.verdict == Verdict.BETTER
    assert progress.count(comparison).void == 1
    assert progress.count(comparison).tally.cycles == 16


@pytest.mark.exhaustive
def test_a_worker_that_dies_costs_a_match_one_attempt_and_nothing_else(user, versions):
    comparison = services.start(user, *versions)
    match = leases.claim("dies")
    Match.objects.filter(pk=match.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert leases.give_back_expired() == 1
    play(comparison, lambda number: names(comparison))
    assert comparison.matches.get(pk=match.pk).attempt == 2
    assert comparison.verdict == Verdict.BETTER


def test_results_move_it_on_without_the_sweeper(user, versions, django_capture_on_commit_callbacks):
    comparison = services.start(user, *versions)
    while (match := leases.claim("w")) is not None:
        with django_capture_on_commit_callbacks(execute=True):
            assert leases.finish(match, duel(match, names(comparison)))
    comparison.refresh_from_db()
    assert comparison.verdict == Verdict.BETTER


def test_only_one_comparison_of_a_user_runs(user, versions):
    services.start(user, *versions)
    with pytest.raises(NotComparable, match="Only one runs at a time"):
        services.start(user, *versions)
    assert Comparison.objects.count() == 1


def test_a_cancelled_comparison_plays_no_more_and_another_may_start(user, versions):
    comparison = services.start(user, *versions)
    running = leases.claim("w")
    browser_of(user).post(f"/comparisons/{comparison.pk}/cancel/")
    comparison.refresh_from_db()
    assert comparison.state == Comparison.State.CANCELLED
    assert leases.claim("w") is None
    assert leases.finish(running, duel(running, names(comparison)))
    progress.tick()
    assert comparison.matches.exclude(state__in=[State.WITHDRAWN, State.FINISHED]).count() == 0
    services.start(user, *versions)


def test_it_is_cancelled_when_the_bot_leaves_play(user, versions):
    comparison = services.start(user, *versions)
    leaving_play.withdraw(versions[0].bot, user)
    progress.tick()
    comparison.refresh_from_db()
    assert comparison.state == Comparison.State.CANCELLED
    assert leases.claim("w") is None


def test_it_is_cancelled_when_who_started_it_leaves_the_team(user, versions, rps):
    captain = User.objects.create_user("cap")
    team = team_services.create("Quokkas", captain)
    team_services.add(team, user)
    Bot.objects.filter(pk=versions[0].bot_id).update(owner=team.account)
    comparison = services.start(user, *versions)
    progress.tick()
    comparison.refresh_from_db()
    assert comparison.state == Comparison.State.RUNNING
    teams.remove(team, captain, user.pk)
    progress.tick()
    comparison.refresh_from_db()
    assert comparison.state == Comparison.State.CANCELLED
    assert leases.claim("w") is None
    Bot.objects.filter(pk=versions[0].bot_id).update(owner=user)
    services.start(user, *versions)  # one of their own


@pytest.mark.parametrize("state", ["closed", "archived"])
def test_it_is_cancelled_when_the_competition_is_closed(user, versions, rps, state):
    comparison = services.start(user, *versions)
    Competition.objects.filter(pk=rps.pk).update(state=state)
    progress.tick()
    comparison.refresh_from_db()
    assert comparison.state == Comparison.State.CANCELLED
    assert leases.claim("w") is None


@pytest.mark.exhaustive
def test_strangers_see_neither_the_comparison_nor_its_matches(user, versions, rps):
    comparison = services.start(user, *versions)
    play(comparison, lambda number: names(comparison))
    match = comparison.matches.first()
    stranger = browser_of(User.objects.create_user("eve"))
    for address in (
        comparison.get_absolute_url(),
        match.get_absolute_url(),
        f"/matches/{match.pk}/record.json",
    ):
        assert stranger.get(address).status_code == 404
        assert browser_of(user).get(address).status_code == 200
    assert f"#{match.pk}<" not in stranger.get("/c/rps/matches/").content.decode()
    assert f"#{match.pk}<" not in stranger.get(f"/bots/{versions[0].bot_id}/").content.decode()


def test_the_owner_chooses_among_built_versions_and_house_bots(user, versions, rps):
    new, old = versions
    house = submit(User.objects.create_user("house"), rps, "Housy", SubmissionState.ACTIVE)
    type(house.bot).objects.filter(pk=house.bot_id).update(house=True)
    house.artifact.save("", ContentFile(b"a tar"))
    house.save()
    rival = submit(User.objects.create_user("eve"), rps, "Eve", SubmissionState.ACTIVE)
    rival.artifact.save("", ContentFile(b"a tar"))
    assert services.opponents(new) == [old, house]
    browser = browser_of(user)
    page = browser.get(f"/submissions/{new.pk}/compare/").content.decode()
    assert "Housy" in page
    assert f'value="{rival.pk}"' not in page
    refused = browser.post(f"/submissions/{new.pk}/compare/", {"old": rival.pk}, follow=True)
    assert "cannot be compared now" in refused.content.decode()
    started = browser.post(f"/submissions/{new.pk}/compare/", {"old": old.pk}, follow=True)
    assert "It is not decided yet." in started.content.decode()


def test_an_open_page_gets_news_only_when_there_are_some(user, versions):
    comparison = services.start(user, *versions)
    browser = browser_of(user)
    page = browser.get(comparison.get_absolute_url()).content.decode()
    assert "seen=running-0-0" in page
    assert browser.get(f"{comparison.get_absolute_url()}?part=comparison&seen=running-0-0").status_code == 204
    for _ in range(2):
        match = leases.claim("w")
        assert leases.finish(match, duel(match, names(comparison)))
    assert browser.get(f"{comparison.get_absolute_url()}?part=comparison&seen=running-0-0").status_code == 200


def test_one_match_at_a_time_is_compared(user, versions):
    services.start(user, *versions)
    assert leases.claim("w") is not None
    assert leases.claim("v") is None


def test_rated_matches_go_first_in_the_pause_after_a_match_of_a_comparison(user, versions, rps, monkeypatch):
    monkeypatch.setattr(queueing, "PAUSE_ON_DEMAND", 3)
    comparison = services.start(user, *versions)
    others = activate(User.objects.create_user("bob"), rps, ["Bea", "Cid"])
    progress.tick()
    first = leases.claim("w")
    assert leases.finish(first, duel(first, names(comparison)))
    compared = [first.kind]
    Match.objects.filter(pk=first.pk).update(seconds=600)
    for _ in range(3):
        queueing.queue(rps, Match.Kind.LADDER, Match.Queue.BULK, others)
        match = leases.claim("w")
        assert leases.finish(match, duel(match, ["Bea", "Cid"]))
        compared.append(match.kind)
    assert compared[1:] == [Match.Kind.LADDER] * 3
    assert leases.claim("w").kind == Match.Kind.COMPARISON  # when nothing else waits, it need not


def test_the_last_version_that_was_replaced_stays_built_to_be_compared(user, rps, versions):
    new, old = versions
    newest = submit(user, rps, "Ada")
    qualification.activate(newest)
    Match.objects.all().delete()
    Submission.objects.filter(pk=newest.pk).update(activated=timezone.now() - 2 * artifact_removal.SETTLED)
    artifact_removal.remove_unneeded()
    kept = Submission.objects.filter(pk__in=[old.pk, new.pk]).exclude(artifact="")
    assert list(kept) == [new]
    assert Seat.objects.count() == 0


def test_in_games_of_more_than_two_seats_house_bots_fill_the_others(user, competition):
    [old, *house] = activate(user, competition, ["Ada", "Ben", "Cleo", "Dora", "Emil"])
    Bot.objects.filter(pk__in=[submission.bot_id for submission in house]).update(house=True)
    new = submit(user, competition, "Ada")
    qualification.activate(new)
    Match.objects.all().delete()
    for number, participant in enumerate((old, new, *house)):
        participant.refresh_from_db()
        participant.artifact_digest = f"{number}" * 64
        participant.artifact.save("", ContentFile(b"a tar"))
        participant.save()
    comparison = services.start(user, new, old)
    cycles = [
        [match for match in comparison.matches.order_by("index") if match.index // 8 == cycle]
        for cycle in range(16)
    ]
    for cycle in cycles:
        assert len({match.seed for match in cycle}) == 1
        seats = [[seat.submission_id for seat in match.seats.order_by("number")] for match in cycle]
        for version in (new, old):
            theirs = [seated.index(version.pk) for seated in seats if version.pk in seated]
            assert sorted(theirs) == [0, 1, 2, 3]
        assert len({frozenset(seated) - {new.pk, old.pk} for seated in seats}) == 1
    for match in cycles[0]:
        claimed = leases.claim("w")
        assert claimed == match
        assert leases.finish(claimed, played(claimed))
    assert progress.count(comparison).tally.cycles == 1
    assert progress.count(comparison).tally.mean == 0  # who wins depends on the seat alone
