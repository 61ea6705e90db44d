"""Which matches may be run again, and in which order workers claim them."""

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agon.site.audit.models import Act
from agon.site.bots import reasons
from agon.site.bots.models import Submission
from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing, results
from agon.site.matches.models import Match
from agon.site.matches.states import State as MatchState
from agon.site.tournaments import reruns, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament
from agon.site.use_cases import erasing, leaving_play, qualification, waiting
from agon.site.workers import artifact_removal
from tests.support.factories import activate, active_bots, duel, submit
from tests.support.reasons import said
from tests.support.reruns import NAMES, begun, bots_of, play, ranks

pytestmark = pytest.mark.production


@pytest.mark.parametrize(
    ("choice", "words"),
    [({}, "at least one"), ({"worker": "nobody"}, "Expected 1 to 10000 matches, got 0"), ({"bot": 0}, None)],
)
def test_what_cannot_be_run_again_is_said(cup, boss, choice, words):
    if words is None:
        begun(cup, boss, **choice)
        words = "before"
    with pytest.raises(BadTournament, match=words):
        begun(cup, boss, **choice)


def test_a_list_of_too_many_numbers_is_refused_in_words(cup, boss):
    desk = Client()
    desk.force_login(boss)
    numbers = " ".join(map(str, range(1, 1002)))
    answer = desk.post(f"/tournaments/{cup.pk}/rerun", {"act": "begin", "numbers": numbers, "reason": "why"})
    assert answer.status_code == 422
    assert "Expected at most 1000 numbers, got 1001." in answer.content.decode()


def test_what_was_filled_in_stays_where_it_is_refused(cup, boss):
    bot = cup.entrants.get(number=2).bot
    leaving_play.delete(bot, bot.owner)
    desk = Client()
    desk.force_login(boss)
    sent = {"act": "begin", "entrant": "2", "until": "9999-12-31T23:59", "reason": "the referee was wrong"}
    answer = desk.post(f"/tournaments/{cup.pk}/rerun", sent)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "their programs erased: c" in page
    assert 'value="the referee was wrong"' in page
    assert page.count("The time is UTC.") == 2


def test_bots_whose_programs_were_erased_are_not_run_again(cup, boss):
    bot = cup.entrants.get(number=2).bot
    leaving_play.delete(bot, bot.owner)
    erasing.erase_due()
    with pytest.raises(BadTournament, match="erased: c"):
        begun(cup, boss, bot=0)
    assert begun(cup, boss, numbers=tuple(without(cup, bot))).matches.count() == 2


def without(cup, bot):
    return cup.matches.exclude(seats__submission__bot=bot).values_list("pk", flat=True)


@pytest.mark.parametrize("leave", [leaving_play.withdraw, leaving_play.delete])
def test_no_owner_keeps_matches_from_being_run_again_by_taking_the_bot_out_of_play(cup, boss, leave):
    rerun = begun(cup, boss, bot=2)
    bot = cup.entrants.get(number=2).bot
    leave(bot, bot.owner)
    play(["c", "b", "a"])
    assert reruns.preview(rerun).done == 4
    reruns.apply(rerun, boss)
    assert ranks(cup)["c"] == 1


def test_matches_of_a_bot_that_is_stopped_are_not_run_again(cup, boss):
    rerun = begun(cup, boss, bot=2)
    leaving_play.stop(cup.entrants.get(number=2).bot, boss, reasons.stopped("It harms the host."))
    assert leases.claim("w") is None
    assert reruns.preview(rerun).outcomes == {("seat 1 won", "no result"): 2, ("seat 2 won", "no result"): 2}


def test_nor_are_those_that_are_chosen_after_it_was_stopped(cup, boss):
    """Whoever chooses by a worker that was broken need not know which bot harms the host."""
    leaving_play.stop(cup.entrants.get(number=2).bot, boss, reasons.stopped("It harms the host."))
    rerun = begun(cup, boss, bot=0)
    play(["b", "a"])
    states = {pair.new.state for pair in rerun.matches.filter(old__seats__name="c")}
    assert states == {MatchState.WITHDRAWN}
    assert reruns.preview(rerun).is_ready
    reruns.apply(rerun, boss)
    assert ranks(cup) == {"b": 1, "a": 2, "c": 3}


def test_a_match_of_a_stopped_bot_that_fails_is_not_tried_again(cup, boss):
    begun(cup, boss, bot=2)
    match = leases.claim("w")
    leaving_play.stop(cup.entrants.get(number=2).bot, boss, reasons.stopped("It harms the host."))
    assert leases.fail(match, said("the disk is full"))
    match.refresh_from_db()
    assert match.state == MatchState.WITHDRAWN


def test_bots_whose_built_programs_are_no_longer_kept_are_not_run_again(cup, boss):
    entered = cup.entrants.get(number=2).submission
    Submission.objects.filter(pk=entered.pk).update(artifact_digest="0" * 64, artifact="")
    with pytest.raises(BadTournament, match="no longer kept: c"):
        begun(cup, boss, bot=0)


def test_built_programs_are_kept_as_long_as_a_result_may_be_disputed(cup, boss, user):
    old, *_ = built = [submit(user, cup.competition, "c") for _ in range(3)]
    cup.entrants.filter(number=2).update(submission=old)
    for number, version in enumerate(built):
        qualification.activate(version)
        version.refresh_from_db()
        version.artifact_digest = f"{number}" * 64
        version.artifact.save("", ContentFile(b"a tar"))
    Match.objects.filter(kind=Match.Kind.LADDER).delete()
    Submission.objects.update(activated=timezone.now() - 2 * artifact_removal.SETTLED)

    def is_kept():
        artifact_removal.remove_unneeded()
        return Submission.objects.filter(pk=old.pk).exclude(artifact="").exists()

    assert is_kept()
    rerun = begun(cup, boss, bot=0)
    Match.objects.filter(kind=Match.Kind.RERUN).update(state=MatchState.FINISHED)
    Tournament.objects.update(finished_at=timezone.now() - artifact_removal.DISPUTABLE)
    assert is_kept()  # the new results may call for another round
    reruns.discard(rerun, boss)
    assert not is_kept()


def test_a_tournament_that_is_cancelled_runs_nothing_again(cup, boss):
    going_on = services.create(boss, cup.competition, "Cup", "round_robin", 1, 1, bots_of(cup))
    services.start(going_on, boss)
    play(NAMES, limit=3)
    rerun = begun(going_on, boss, bot=0)
    services.cancel(going_on, boss, "enough")

    assert leases.claim("w") is None
    with pytest.raises(BadTournament, match="applied or discarded already"):
        reruns.apply(rerun, boss)
    assert [act.verb for act in Act.objects.filter(tournament=going_on)][-2:] == ["rerun", "cancel"]


@pytest.fixture
def many(boss, user):
    """A round robin of 200 matches that were played, waiting to be run again."""
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    bots = active_bots(user, rps, [f"b{number}" for number in range(5)])
    cup = services.create(boss, rps, "Cup", "round_robin", 10, 1, bots)
    services.start(cup, boss)
    cup.matches.update(state=MatchState.FINISHED, finished_at=timezone.now(), worker="w")
    begun(cup, boss, until=timezone.now())
    return Match.objects.filter(kind=Match.Kind.RERUN)


def claimed_with(most):
    """What one claim gets, and its queries."""
    with CaptureQueriesContext(connection) as caught:
        got = leases.claim_many("w", ("interactive", "bulk"), most)
    return got, caught.captured_queries


def test_they_are_claimed_in_batches_without_a_look_at_what_waits(many):
    assert many.count() > 128
    got, queries = claimed_with(64)
    assert [match.pk for match in got] == list(many.order_by("pk").values_list("pk", flat=True)[:64])
    assert len(queries) < 10
    assert not any("matches_seat" in query["sql"] for query in queries)


def test_a_batch_of_them_is_given_up_and_stored_as_others_are(many):
    got, _ = claimed_with(8)
    leases.finish_all([results.just_ended(match, duel(match, ["b0"])) for match in got[:3]])
    leases.hand_back(got[3:])
    states = many.filter(pk__in=[match.pk for match in got]).order_by("pk").values_list("state", "attempt")
    assert list(states) == [(MatchState.FINISHED, 1)] * 3 + [(MatchState.QUEUED, 0)] * 5


def test_a_match_that_somebody_waits_for_comes_before_them(many, user):
    two = activate(user, many[0].competition, ["x", "y"])
    urgent = queueing.queue(many[0].competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, two)
    assert claimed_with(64)[0] == [urgent]


def test_rated_matches_that_waited_longer_come_first_too(cup, boss, user):
    two = activate(user, cup.competition, ["x", "y"])
    older = queueing.queue(cup.competition, Match.Kind.LADDER, Match.Queue.BULK, two)
    begun(cup, boss, bot=2)
    assert claimed_with(64)[0] == [older]
    assert {match.kind for match in claimed_with(64)[0]} == {Match.Kind.RERUN}


def test_pages_say_how_many_are_before_one_of_them(many, client):
    last = many.order_by("-pk")[0]
    waiting.of_match(last)
    assert waiting.of_match(last).ahead == many.count() - 1
