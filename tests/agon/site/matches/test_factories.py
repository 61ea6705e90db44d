"""Bots that the factories write as rows are those that the platform makes."""

import pytest

from agon.site.bots.models import Bot, Submission
from agon.site.leaderboards.models import Leaderboard, Rated, Rating
from tests.support.factories import activate, versions

# Keys and digests, which count on, times, and counts of how often the leaderboard changed.
OTHERS = {"id", "bot_id", "active_id", "submission_id", "rating_id", "digest"}
OTHERS |= {"created", "activated", "version", "changes"}


def rows_after(make, owner, competition):
    """What is in every table that `make` writes to, after a look at what differs."""
    returned = make(owner, competition, ["Rita", "Sue", "Tom"])
    stored = list(Submission.objects.select_related("bot__active", "rated__rating").order_by("pk"))
    assert returned == stored
    for mine, saved in zip(returned, stored, strict=True):
        assert (mine.state, mine.reason, mine.bot) == (saved.state, saved.reason, saved.bot)
        assert mine.activated == saved.activated is not None
        assert saved.bot.active == saved
    assert (
        len({submission.digest for submission in stored})
        == len({submission.rated.rating for submission in stored})
        == 3
    )
    [leaderboard] = Leaderboard.objects.all()
    assert leaderboard.changes > leaderboard.fitted_changes
    return [
        {name: value for name, value in row.items() if name not in OTHERS}
        for model in (Bot, Submission, Rating, Rated, Leaderboard)
        for row in model.objects.order_by("pk").values()
    ]


def test_new_bots_that_are_written_at_once_are_those_that_enter_play_one_by_one(user, competition):
    at_once = rows_after(activate, user, competition)
    for model in (Leaderboard, Rating, Bot):
        model.objects.all().delete()
    assert at_once == rows_after(versions, user, competition)


def test_new_versions_replace_the_active_ones(user, competition):
    [first] = activate(user, competition, ["Rita"])
    [second] = activate(user, competition, ["Rita"])
    first.refresh_from_db()
    assert (first.state, second.state, second.number) == ("replaced", "active", 2)
    assert second.rated.rating.predecessor == first.rated.rating


@pytest.mark.parametrize("names", [["", ""], ["Rita", ""]])
def test_bots_without_a_name_are_new_ones(user, competition, names):
    assert len({submission.bot_id for submission in activate(user, competition, names)}) == len(names)
