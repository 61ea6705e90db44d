"""`agon watch`: it ends when what it waits for has come, or cannot come any more, and says which."""

import json
from types import SimpleNamespace

import pytest

from agon.cli import watch
from agon.site.accounts.models import User
from agon.site.bots import reasons
from agon.site.bots.at_home import version_of
from agon.site.bots.models import Bot
from agon.site.bots.services import enter_at_home
from agon.site.bots.states import State
from agon.site.leaderboards.models import Rating
from agon.site.matches import queueing
from agon.site.matches.models import Match
from agon.site.tokens.models import Token
from agon.site.use_cases import leaving_play
from tests.support.factories import activate, submit, versions

pytestmark = pytest.mark.django_db(transaction=True)
DONE, FAILED, USAGE, SIGN_IN, REFUSED, TRY_LATER = range(6)


@pytest.fixture
def rita(user, competition):
    """An active version without a rank: the ladder seeks matches for it, against four others."""
    others = ["B", "C", "D", "E"]
    activate(User.objects.create_user("bob"), competition, others)
    [rita] = activate(user, competition, ["Rita"])
    return rita


@pytest.fixture
def at_first_pause(monkeypatch):
    """at_first_pause(do): do this when the command pauses for the first time; a second pause is a failure."""

    def then(do) -> None:
        left = [do]
        monkeypatch.setattr(watch, "time", SimpleNamespace(sleep=lambda seconds: left.pop()()))

    return then


def _close(rita, state="closed"):
    type(rita.bot.competition).objects.update(state=state)


def _leave_alone(rita):
    for bot in Bot.objects.exclude(pk=rita.bot_id):
        leaving_play.withdraw(bot, bot.owner)
    Match.objects.update(state=Match.State.FINISHED)


def _void(rita):
    """All that the ladder plays were void: the platform could not play them."""
    seats = list(rita.bot.competition.bots.order_by("pk").values_list("active", flat=True))[-4:]
    others = [rita, *type(rita).objects.filter(pk__in=seats).exclude(pk=rita.pk)]
    match = queueing.queue(rita.bot.competition, Match.Kind.LADDER, Match.Queue.BULK, others)
    Match.objects.filter(pk=match.pk).update(state=Match.State.VOID)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_close, "it has no rank: The competition is closed"),
        (lambda rita: _close(rita, "archived"), "it has no rank: The competition is closed"),
        (lambda rita: type(rita.bot.competition).objects.update(ladder=False), "no ladder"),
        (_leave_alone, "a match needs 4 bots, and 1 may play"),
        (_void, "it has no rank: Settled"),
        (lambda rita: leaving_play.withdraw(rita.bot, rita.bot.owner), "Rita is withdrawn"),
        (lambda rita: leaving_play.delete(rita.bot, rita.bot.owner), "is deleted"),
        (lambda rita: leaving_play.stop(rita.bot, None, reasons.stopped("It mines coins.")), "mines coins"),
        (
            lambda rita: versions(rita.bot.owner, rita.bot.competition, ["Rita"]),
            "version 2 of Rita plays in its place",
        ),
    ],
    ids=["closed", "archived", "no ladder", "alone", "void", "withdrawn", "deleted", "stopped", "replaced"],
)
def test_watching_ends_when_no_rank_can_come_any_more(
    signed_in, rita, at_first_pause, settings, change, says
):
    if change is _void:
        settings.AGON_LADDER_MATCHES = 1
    at_first_pause(lambda: change(rita))
    result = signed_in("watch", rita.pk, "--json")

    data = json.loads(result.out)
    assert (result.code, says in data["reason"]) == (FAILED, True), result
    assert signed_in("watch", rita.pk).err.endswith(f"{data['reason']}\n")
    assert signed_in("watch", rita.pk, "--until", "active").code == DONE


def test_matches_that_are_drawn_are_waited_for_in_a_closed_competition(signed_in, rita, at_first_pause):
    bots = [rita, *type(rita).objects.exclude(pk=rita.pk)[:3]]
    queueing.queue(rita.bot.competition, Match.Kind.LADDER, Match.Queue.BULK, bots)
    _close(rita)
    at_first_pause(lambda: Rating.objects.update(played=12, best=1, worst=3))
    result = signed_in("watch", rita.pk)

    assert result.code == DONE
    assert "rank 1–3" in result.out


def test_a_rank_that_is_not_computed_yet_is_waited_for(signed_in, rita, at_first_pause):
    _close(rita)
    Rating.objects.update(played=12)
    at_first_pause(lambda: Rating.objects.update(best=2, worst=2))
    result = signed_in("watch", rita.pk)

    assert (result.code, "rank 2," in result.out) == (DONE, True), result


def test_forever_goes_on_where_the_ladder_rests_and_says_so(signed_in, rita, at_first_pause):
    _close(rita)
    at_first_pause(lambda: leaving_play.withdraw(rita.bot, rita.bot.owner))
    result = signed_in("watch", rita.pk, "--until", "forever")

    assert result.code == FAILED
    assert result.err.splitlines()[-2:] == [
        "agon: The competition is closed: the ladder draws no more matches.",
        "agon: Rita is withdrawn",
    ]


def test_a_token_that_is_revoked_meanwhile_ends_it(signed_in, rita, at_first_pause):
    at_first_pause(lambda: Token.objects.all().delete())

    assert signed_in("watch", rita.pk).code == SIGN_IN


def test_a_rejected_version_whose_program_was_removed_is_no_success(signed_in, user, competition):
    assert signed_in("watch", submit(user, competition, state=State.REMOVED).pk).code == FAILED


def test_a_bot_at_home_has_no_rank_to_wait_for(signed_in, user, competition):
    bot = enter_at_home(user, competition, "Ada", user)
    result = signed_in("watch", version_of(bot.pk).pk)

    assert (result.code, "plays at home alone" in result.err) == (FAILED, True), result
