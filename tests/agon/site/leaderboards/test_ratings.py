"""Ratings follow from results: counted in any order, fitted soon, and computed anew to the same digits."""

import io
import random
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots import services
from agon.site.bots.states import State
from agon.site.leaderboards import fitting, ratings, recompute
from agon.site.leaderboards.models import PROVISIONAL, Leaderboard, PairCount, Rating, SeatCount
from agon.site.leaderboards.table import rows
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.use_cases import qualification
from agon.site.workers import building
from agon.statistics.ratings.published import CENTER
from sandbox.api import SandboxError
from tests.support.factories import activate, played, submit

pytestmark = pytest.mark.production


@pytest.fixture
def five(user, competition):
    return activate(user, competition, ["a", "b", "c", "d", "e"])


def finish(competition, seats, faults=None):
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, seats)
    match = leases.claim("w")
    assert leases.finish(match, played(match, faults))
    return match


def play(competition, submissions, count, seed=1):
    draw = random.Random(seed)
    return [finish(competition, draw.sample(submissions, 4)) for _ in range(count)]


def fit(competition):
    Leaderboard.objects.filter(competition=competition).update(next_fit=timezone.now())
    fitting.tick()


def digits(competition):
    fields = ("rated__submission__bot__name", *fitting.Digits._fields)
    return sorted(Rating.objects.filter(competition=competition).values_list(*fields))


def check(*arguments):
    out = io.StringIO()
    call_command("recompute_ratings", *arguments, stdout=out)
    return out.getvalue()


def test_a_result_adds_to_counts_and_locks_no_leaderboard(competition, five):
    before = Leaderboard.objects.get(competition=competition)
    match = finish(competition, five[:4], {(2, 1): ("timeout", "no answer")})

    seats = list(match.seats.all())
    assert Leaderboard.objects.get(competition=competition).version == before.version
    assert PairCount.objects.count() == 6
    assert SeatCount.objects.count() == 4
    assert sum(Rating.objects.values_list("won", flat=True)) == sum(seat.won for seat in seats)
    assert Rating.objects.get(rated__submission=five[1]).faults == 1
    assert Rating.objects.get(rated__submission=five[4]).seated is None


def test_the_time_of_the_last_match_is_stored_as_all_times_are(competition, five):
    """SQLite compares times as text."""
    moment = timezone.now()
    finish(competition, five[:4])
    assert Rating.objects.filter(seated__gt=moment).count() == 4
    later = Rating.objects.filter(seated__isnull=False).latest("seated").seated
    assert Rating.objects.filter(seated=later).exists()


def test_the_sweeper_fits_what_fell_behind_and_only_that(competition, coup, five):
    fit(competition)
    assert not fitting.is_behind(competition.pk)
    play(competition, five, 3)
    assert fitting.is_behind(competition.pk)
    version = Leaderboard.objects.get(competition=competition).version

    fit(competition)
    fit(competition)

    assert not fitting.is_behind(competition.pk)
    assert Leaderboard.objects.get(competition=competition).version == version + 1
    assert len({row.rating for row in rows(competition)}) > 1


def test_a_fit_that_another_one_overtook_writes_nothing(competition, five, monkeypatch):
    play(competition, five, 2)
    before = digits(competition)
    computed = fitting.compute

    def overtaken(pk):
        Leaderboard.objects.update(next_fit=timezone.now())
        return computed(pk)

    monkeypatch.setattr(fitting, "compute", overtaken)
    fit(competition)

    assert digits(competition) == before
    assert fitting.is_behind(competition.pk)


def test_a_fit_that_was_overtaken_leaves_the_next_one_time_to_end(competition, five, monkeypatch):
    """Fits that take longer than the pause would overtake each other as long as results arrive."""
    play(competition, five, 2)
    computed = fitting.compute

    def overtaken(pk):
        Leaderboard.objects.update(next_fit=timezone.now() - timedelta(seconds=1))
        monkeypatch.setattr(fitting.time, "monotonic", lambda: began + 30)
        return computed(pk)

    began = fitting.time.monotonic()
    monkeypatch.setattr(fitting.time, "monotonic", lambda: began)
    monkeypatch.setattr(fitting, "compute", overtaken)
    Leaderboard.objects.update(fit_seconds=0.01)
    fit(competition)
    monkeypatch.setattr(fitting, "compute", computed)

    fitting.keep_up(competition.pk)
    assert not fitting.is_behind(competition.pk)
    assert Leaderboard.objects.get(competition=competition).next_fit > timezone.now() + timedelta(seconds=30)


def test_while_a_fit_is_recent_a_worker_is_asked_to_make_the_next_one(competition, five, monkeypatch):
    asked = []
    monkeypatch.setattr(fitting, "request_task", lambda *task: asked.append(task))
    monkeypatch.setattr(fitting, "_notified", {})
    play(competition, five, 1)
    fit(competition)
    play(competition, five, 1)
    Leaderboard.objects.update(next_fit=timezone.now() + timedelta(minutes=1))

    fitting.keep_up(competition.pk)
    assert asked == [("agon.site.workers.tasks.rate", "interactive", competition.pk)]
    assert fitting.is_behind(competition.pk)

    Leaderboard.objects.update(next_fit=timezone.now() + timedelta(milliseconds=20))
    fitting.catch_up(competition.pk)
    assert not fitting.is_behind(competition.pk)


@pytest.mark.exhaustive
def test_results_in_another_order_give_the_same_digits(user, competition, coup, five):
    played_matches = play(competition, five, 12)
    fit(competition)
    expected = digits(competition)
    Rating.objects.update(played=0, won=0, faults=0, rating=1234.5, low=None, high=None)
    PairCount.objects.all().delete()

    for match in random.Random(3).sample(played_matches, len(played_matches)):
        ratings.apply(match)
    fitting.fit_now(competition.pk)

    assert digits(competition) == expected


def test_ratings_computed_anew_have_the_very_same_digits(competition, five):
    activate(User.objects.create_user("bob"), competition, ["late"])
    play(competition, five, 20)
    fit(competition)

    assert "samurai: 6 ratings, 0 differences" in check("--check")


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "change",
    [
        lambda: Rating.objects.filter(played__gt=0).update(rating=3000.0),
        lambda: Rating.objects.filter(played__gt=0).update(won=99),
        lambda: PairCount.objects.update(first_ahead=77),
        lambda: PairCount.objects.first().delete(),
    ],
)
def test_a_rating_or_count_that_was_edited_is_found_and_put_right(competition, five, change):
    play(competition, five, 4)
    fit(competition)
    expected = digits(competition)
    change()

    with pytest.raises(CommandError, match="differences: "):
        check("samurai", "--check")
    check("samurai")

    assert digits(competition) == expected
    assert recompute.differences(competition) == []


def test_computing_anew_locks_the_leaderboard_first_as_a_fit_does(
    competition, five, django_assert_max_num_queries
):
    """Two that lock in different orders wait for each other."""
    play(competition, five, 2)
    with django_assert_max_num_queries(100) as captured:
        recompute.replace(competition)
    tables = ("leaderboards_leaderboard", "leaderboards_rating")
    read = [query["sql"] for query in captured if query["sql"].startswith("SELECT")]
    assert next(table for sql in read for table in tables if f'FROM "{table}"' in sql) == tables[0]


def test_a_competition_that_is_not_there_is_named(db):
    with pytest.raises(CommandError, match="no competition chess"):
        check("chess", "--check")


def test_the_same_program_again_keeps_its_rating_and_its_counts(user, competition, five):
    play(competition, five, PROVISIONAL)
    fit(competition)
    before = next(row for row in rows(competition) if row.bot == "a")
    again = submit(user, competition, "a")
    again.digest = five[0].digest
    again.save()
    qualification.activate(again)
    fit(competition)

    after = next(row for row in rows(competition) if row.bot == "a")
    assert after.version == 2
    assert (after.rating, after.played, after.rank) == (before.rating, before.played, before.rank)


def test_another_program_with_the_same_artifact_is_the_same_program(user, competition, five):
    type(five[0]).objects.filter(pk=five[0].pk).update(artifact_digest="ab" * 32)
    again = submit(user, competition, "other name")
    again.artifact_digest = "ab" * 32
    again.save()
    qualification.activate(again)

    assert again.rated.rating == five[0].rated.rating


def test_an_upload_that_differs_in_comments_keeps_its_rating(user, competition, five):
    """Otherwise it would be another chance: the best of twelve gained 46 points."""
    first, again = (_built(user, competition, text) for text in (b"# 1\nprint(1)\n", b"print( 1 )  # 2\n"))
    different = _built(user, competition, b"print(2)\n")
    assert first.digest != again.digest
    assert again.rated.rating == first.rated.rating
    assert different.rated.rating != first.rated.rating


def _built(user, competition, text):
    """The next version of a bot, built without a sandbox, and active."""
    submission = services.receive(user, competition, "rolled", "bot.py", text)
    assert building.build_next(NoSandbox())
    submission.refresh_from_db()
    assert submission.program
    submission.state = State.QUALIFYING  # as if it were built
    submission.save()
    qualification.activate(submission)
    return submission


class NoSandbox:
    """A platform that cannot build; what is compared does not depend on it."""

    def open(self, spec):
        raise SandboxError("there is no sandbox")


def test_the_program_of_another_author_has_a_rating_of_its_own(competition, five):
    copy = submit(User.objects.create_user("bob"), competition, "copy")
    copy.digest = five[0].digest
    copy.save()
    qualification.activate(copy)

    assert copy.rated.rating != five[0].rated.rating


def test_a_new_version_begins_at_the_rating_of_the_one_before_with_a_wide_interval(user, competition, five):
    play(competition, five, 30)
    fit(competition)
    before = next(row for row in rows(competition) if row.bot == "a")
    qualification.activate(submit(user, competition, "a"))
    fit(competition)

    after = next(row for row in rows(competition) if row.bot == "a")
    assert after.rating == before.rating
    assert after.high - after.low > before.high - before.low
    assert (after.played, after.provisional, after.rank) == (0, True, "?")


def test_old_versions_beyond_a_number_are_left_out_of_the_fit_those_that_played_least_first(
    user, competition, five, monkeypatch
):
    """An author can upload a version a minute, and a fit takes the cube of their number."""
    for _ in range(3):
        play(competition, five, 3)
        five[0] = submit(user, competition, "a")
        qualification.activate(five[0])
    play(competition, five, 3)
    names = dict(Rating.objects.values_list("pk", "rated__submission__number"))
    all_of_them = {names[pk] for pk in fitting.compute(competition.pk)}
    assert all_of_them == {1, 2, 3, 4}

    Rating.objects.filter(rated__submission__bot__name="a", rated__submission__number=2).update(played=99)
    monkeypatch.setattr(fitting, "MOST_RATINGS", 6)
    fitted = fitting.compute(competition.pk)
    assert set(Rating.objects.filter(rated__submission__state="active").values_list("pk", flat=True)) < set(
        fitted
    )
    assert sorted(names[pk] for pk in fitted) == [1, 1, 1, 1, 2, 4]

    fit(competition)
    Rating.objects.filter(rated__submission__number=2).update(played=3)
    check("samurai")
    assert recompute.differences(competition) == []


def test_house_bots_have_the_center_on_average(user, competition, five):
    play(competition, five, 10)
    for submission in five[:2]:
        submission.bot.house = True
        submission.bot.save()
    fitting.fit_now(competition.pk)

    house = [row.rating for row in rows(competition) if row.house]
    assert sum(house) / 2 == pytest.approx(CENTER, abs=0.01)
