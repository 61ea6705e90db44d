"""What organizers do to a tournament, and who sees what of it."""

import zlib

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.archives import storing
from agon.site.audit.models import Act
from agon.site.bots import reasons
from agon.site.bots.models import Bot
from agon.site.bots.states import BotState
from agon.site.competitions.models import Competition
from agon.site.core.db.transitions import IllegalTransition
from agon.site.matches import leases
from agon.site.matches.models import Stderr
from agon.site.matches.states import State as MatchState
from agon.site.tournaments import running, scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament
from agon.site.tournaments.standings import current_standings
from agon.site.tournaments.states import State
from agon.site.use_cases import leaving_play
from agon.statistics.voids import Blame
from tests.support.factories import active_bots, duel

pytestmark = pytest.mark.production
NAMES = ["a", "b", "c", "d"]
Release = Tournament.Release


@pytest.fixture
def rps(db):
    return Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")


@pytest.fixture
def bots(user, rps):
    return active_bots(user, rps, NAMES)


@pytest.fixture
def boss(db):
    return User.objects.create_superuser("boss")


@pytest.fixture
def cup(boss, rps, bots):
    cup = services.create(boss, rps, "Cup", "round_robin", 1, 1, bots, {"ordered": False})
    services.start(cup, boss)
    return cup


def play(limit=1000):
    while limit and (match := leases.claim("w")) is not None:
        leases.finish(match, duel(match, NAMES))
        limit -= 1


def finish(cup):
    play()
    scheduling.tick()
    cup.refresh_from_db()
    assert cup.state == State.FINISHED


def points(cup):
    return {row.bot: (row.rank, row.won, row.played) for row in current_standings(cup)}


@pytest.mark.parametrize("act", [running.withdraw, running.disqualify])
def test_a_bot_that_is_out_is_last_and_its_matches_fall(cup, boss, act):
    play(limit=3)
    act(cup, 0, boss, "its author asked for it")
    finish(cup)

    assert points(cup) == {"b": (1, 2, 2), "c": (2, 1, 2), "d": (3, 0, 2), "a": (4, 0, 0)}
    entry = Act.objects.last()
    assert (entry.actor, entry.subject, entry.reason) == (boss, "a", "its author asked for it")


def test_a_bot_that_is_reinstated_plays_what_it_missed(cup, boss):
    play(limit=1)
    running.withdraw(cup, 0, boss, "a mistake")
    running.reinstate(cup, 0, boss, "it was the wrong bot")
    finish(cup)

    assert points(cup)["a"] == (1, 3, 3)
    assert list(Act.objects.values_list("verb", flat=True)) == ["create", "start", "withdraw", "reinstate"]


@pytest.mark.parametrize("is_over", [False, True])
def test_a_bot_that_an_administrator_has_stopped_is_not_reinstated_before_it_is_released(cup, boss, is_over):
    bot = cup.entrants.get(number=0).bot
    leaving_play.stop(bot, boss, reasons.stopped("It harms the host."))
    if is_over:
        finish(cup)
    with pytest.raises(BadTournament, match="a is stopped"):
        running.reinstate(cup, 0, boss, "why not")
    assert points(cup)["a"] == (4, 0, 0)
    if not is_over:
        leaving_play.release(bot, boss)
        finish(cup)
        assert points(cup)["a"] == (1, 3, 3)


@pytest.mark.parametrize(
    ("act", "number", "reason", "words"),
    [
        (running.withdraw, 0, " ", "Give a reason"),
        (running.withdraw, 0, "x" * 1001, "at most 1000"),
        (running.withdraw, 9, "why not", "no such entrant"),
        (running.reinstate, 0, "why not", "a has not left"),
    ],
)
def test_what_cannot_be_done_changes_nothing(cup, boss, act, number, reason, words):
    with pytest.raises(BadTournament, match=words):
        act(cup, number, boss, reason)
    assert list(Act.objects.values_list("verb", flat=True)) == ["create", "start"]


def test_of_two_organizers_at_once_the_second_one_hears_of_the_first(cup, boss):
    running.withdraw(cup, 0, boss, "first")
    with pytest.raises(BadTournament, match="a has left already"):
        running.disqualify(cup, 0, boss, "second")
    services.cancel(cup, boss, "enough")
    with pytest.raises(IllegalTransition):
        services.resume(cup, boss)
    with pytest.raises(BadTournament, match="a cancelled tournament cannot lose"):
        running.withdraw(cup, 1, boss, "third")


def test_a_bot_that_is_disqualified_after_the_end_is_last_until_it_is_reinstated(cup, boss):
    """A program that was copied is often found when all have seen who won."""
    finish(cup)
    running.release(cup, Release.ORGANIZERS, boss)
    running.reveal(cup, boss)
    with pytest.raises(BadTournament, match="can only be disqualified"):
        running.withdraw(cup, 0, boss, "it was copied")
    running.disqualify(cup, 0, boss, "it was copied")
    cup.refresh_from_db()
    assert (cup.state, cup.revealed) == (State.FINISHED, 0)
    assert points(cup) == {"b": (1, 2, 2), "c": (2, 1, 2), "d": (3, 0, 2), "a": (4, 0, 0)}
    assert running.winners(cup) == ["b"]
    running.reinstate(cup, 0, boss, "it was not")
    assert points(cup)["a"] == (1, 3, 3)
    assert running.winners(cup) == ["a"]


def test_after_the_end_none_is_reinstated_that_did_not_play_all(cup, boss):
    play(limit=3)
    running.withdraw(cup, 0, boss, "its author asked for it")
    finish(cup)
    running.disqualify(cup, 1, boss, "it was copied")
    with pytest.raises(BadTournament, match="a did not play all of it"):
        running.reinstate(cup, 0, boss, "why not")
    running.reinstate(cup, 1, boss, "it was not")  # what it missed was for the other one
    assert points(cup) == {"b": (1, 2, 2), "c": (2, 1, 2), "d": (3, 0, 2), "a": (4, 0, 0)}


def test_a_knock_out_whose_winner_is_disqualified_after_the_end_goes_to_the_other_finalist(boss, rps, bots):
    cup = services.create(boss, rps, "Knock-out", "single_elimination", 1, 1, bots, {})
    services.start(cup, boss)
    while cup.state != State.FINISHED:
        play()
        scheduling.tick()
        cup.refresh_from_db()
    assert running.winners(cup) == ["a"]
    [finalist] = [row.bot for row in current_standings(cup) if row.rank == 2]
    running.disqualify(cup, 0, boss, "it was copied")
    cup.refresh_from_db()
    assert cup.state == State.FINISHED
    assert [row.bot for row in current_standings(cup) if row.rank == 1] == [finalist]
    assert current_standings(cup)[-1].bot == "a"


def test_results_are_released_in_stages(client, cup, boss, bots):
    Bot.objects.filter(pk=bots[0].pk).update(owner=User.objects.create_user("entrant"))
    finish(cup)
    match = cup.matches.first()
    readers = {name: Client() for name in ("stranger", "entrant", "boss")}
    User.objects.create_user("stranger")
    for name, browser in readers.items():
        browser.force_login(User.objects.get(username=name))

    def who_sees():
        return {
            name
            for name, browser in readers.items()
            if browser.get(match.get_absolute_url()).status_code == 200
            and 'id="standings-title"' in browser.get(cup.get_absolute_url()).content.decode()
            and f"/matches/{match.pk}/" in browser.get("/c/rps/matches/").content.decode()
        }

    assert who_sees() == {"stranger", "entrant", "boss"}
    running.release(cup, Release.ENTRANTS, boss)
    assert who_sees() == {"entrant", "boss"}
    running.release(cup, Release.ORGANIZERS, boss)
    assert who_sees() == {"boss"}
    for address in ("record.json", "log.json", "archive"):
        assert client.get(f"{match.get_absolute_url()}{address}").status_code == 404
    storing.make(cup)
    for name, browser in readers.items():
        page = browser.get(cup.get_absolute_url()).content.decode()
        for address in ("archive", "results.csv", "results.jsonl", "results.parquet"):
            link = f"{cup.get_absolute_url()}{address}"
            assert (link in page) == (name == "boss")
            assert browser.get(link).status_code == (200 if name == "boss" else 404)


def test_places_are_revealed_one_by_one_from_the_last(client, cup, boss):
    finish(cup)
    running.release(cup, Release.ORGANIZERS, boss)
    for shown in (["d"], ["c", "d"], ["b", "c", "d"]):
        running.reveal(cup, boss)
        assert [row.bot for row, _bot in client.get(cup.get_absolute_url()).context["standings"]] == shown

    running.reveal(cup, boss)
    cup.refresh_from_db()
    assert cup.release == Release.ORGANIZERS  # to release them is an act of its own
    assert list(Act.objects.filter(verb="reveal").values_list("subject", flat=True)) == ["d", "c", "b", "a"]
    with pytest.raises(BadTournament, match="release the results"):
        running.reveal(cup, boss)
    running.release(cup, Release.PUBLIC, boss)
    with pytest.raises(BadTournament, match="before the results are released"):
        running.reveal(cup, boss)


def test_the_prize_and_its_winner_are_on_the_pages(client, cup, boss):
    running.set_prize(cup, "A year of  hosting", boss)
    finish(cup)
    for address in (cup.get_absolute_url(), "/c/rps/"):
        page = client.get(address).content.decode()
        assert "Prize: A year of hosting" in page
        assert "Winner: a" in page


def test_every_act_is_done_in_the_browser_and_shown(client, cup, boss):
    client.force_login(boss)
    address = f"/tournaments/{cup.pk}/organize"
    client.post(address, {"act": "withdraw", "entrant": "1", "reason": "it loops"})
    client.post(address, {"act": "prize", "prize": "Honor"})
    client.post(address, {"act": "release", "stage": "entrants"})
    Tournament.objects.filter(pk=cup.pk).update(sources_open=True)
    client.post(address, {"act": "nonsense"})
    for act in ("release", "prize", "close"):
        client.post(address, {"act": act, "stage": "public", "prize": "Fame", "reason": "x" * 1001})
    client.post(f"/tournaments/{cup.pk}/pause", {"reason": "lunch"})

    cup.refresh_from_db()
    assert (cup.prize, cup.release, cup.state) == ("Honor", "entrants", State.PAUSED)
    page = Client().get(cup.get_absolute_url()).content.decode()
    assert (
        "A reason must have at most 1000 characters." in client.get(cup.get_absolute_url()).content.decode()
    )
    for words in ("withdrew: b", "it loops", "set the prize", "paused", "lunch"):
        assert words in page
    assert cup.sources_open
    client.post(address, {"act": "close"})
    client.post(address, {"act": "close"})
    client.post(address, {"act": "open"})
    cup.refresh_from_db()
    assert not cup.sources_open
    assert Client().get(cup.get_absolute_url()).content.decode().count("closed the sources") == 1


def test_a_match_of_a_bot_that_is_withdrawn_in_mid_play_still_ends(cup, boss):
    running_match = leases.claim("w")
    seats = {seat.name for seat in running_match.seats.all()}
    number = NAMES.index(min(seats))
    running.withdraw(cup, number, boss, "in mid-round")

    assert leases.finish(running_match, duel(running_match, NAMES))
    finish(cup)
    assert cup.matches.filter(state=MatchState.WITHDRAWN).count() == 2
    assert current_standings(cup)[-1].played == 0


def test_results_that_are_closed_again_are_revealed_from_the_last_place_again(client, cup, boss):
    def shown():
        return [row.bot for row, _bot in client.get(cup.get_absolute_url()).context["standings"]]

    finish(cup)
    running.release(cup, Release.ORGANIZERS, boss)
    for _ in NAMES:
        running.reveal(cup, boss)
    running.release(cup, Release.PUBLIC, boss)
    running.release(cup, Release.ORGANIZERS, boss)
    assert shown() == []
    running.reveal(cup, boss)
    assert shown() == ["d"]


def test_places_that_were_revealed_stay_when_entrants_may_see_all(client, cup, boss):
    finish(cup)
    running.release(cup, Release.ORGANIZERS, boss)
    running.reveal(cup, boss)
    running.release(cup, Release.ENTRANTS, boss)
    assert [row.bot for row, _bot in client.get(cup.get_absolute_url()).context["standings"]] == ["d"]


@pytest.mark.first(1)
@pytest.mark.parametrize("act", ["release", "prize", "close", "reveal", "withdraw"])
def test_a_reason_that_is_too_long_is_refused_on_the_page(client, cup, boss, act):
    finish(cup)
    running.release(cup, Release.ORGANIZERS, boss)
    Tournament.objects.filter(pk=cup.pk).update(sources_open=True)
    client.force_login(boss)
    form = {"act": act, "stage": "public", "prize": "Honor", "entrant": "0", "reason": "x" * 1001}
    page = client.post(f"/tournaments/{cup.pk}/organize", form, follow=True).content.decode()

    assert "at most 1000 characters" in page
    assert Act.objects.last().verb == "release"


def test_standard_error_of_a_match_is_not_open_before_its_result(cup, boss, bots, client):
    author = bots[0].owner
    finish(cup)
    running.release(cup, Release.ORGANIZERS, boss)
    match = cup.matches.filter(seats__submission__bot=bots[0]).first()
    seat = match.seats.get(submission__bot=bots[0])
    Stderr.objects.update_or_create(seat=seat, defaults={"data": zlib.compress(b"I won")})
    address = f"{match.get_absolute_url()}stderr/{seat.number}"

    client.force_login(author)
    assert client.get(address).status_code == 404
    running.release(cup, Release.ENTRANTS, boss)
    assert client.get(address).content == b"I won"


def test_the_evidence_against_a_stopped_bot_shows_no_match_of_an_unreleased_tournament(
    cup, boss, bots, client
):
    finish(cup)
    match = cup.matches.first()
    Bot.objects.filter(pk=bots[0].pk).update(
        state=BotState.STOPPED,
        active=None,
        reason=reasons.voids(Blame(bots[0].pk, (match.pk,), 9, 0, 99, 1e-6)),
    )
    assert match.get_absolute_url() in client.get(bots[0].get_absolute_url()).content.decode()
    running.release(cup, Release.ORGANIZERS, boss)
    assert match.get_absolute_url() not in client.get(bots[0].get_absolute_url()).content.decode()


def test_of_two_organizers_at_once_neither_hides_what_the_other_revealed(cup, boss):
    finish(cup)
    running.release(cup, Release.ORGANIZERS, boss)
    seen_before = Tournament.objects.get(pk=cup.pk)
    running.reveal(cup, boss)
    running.release(seen_before, Release.ENTRANTS, boss)
    cup.refresh_from_db()
    assert (cup.release, cup.revealed) == (Release.ENTRANTS, 1)


def test_a_button_that_two_press_at_once_reveals_one_place(client, cup, boss):
    finish(cup)
    running.release(cup, Release.ORGANIZERS, boss)
    client.force_login(boss)
    page = client.get(cup.get_absolute_url()).content.decode()
    assert '<input type="hidden" name="shown" value="0">' in page
    for _ in range(2):
        client.post(f"/tournaments/{cup.pk}/organize", {"act": "reveal", "shown": "0"})
    cup.refresh_from_db()
    assert cup.revealed == 1
    assert "This place has been revealed already." in client.get(cup.get_absolute_url()).content.decode()


def test_while_it_runs_bots_are_ordered_by_their_mean_points(boss, rps, bots, client):
    cup = services.create(boss, rps, "Cup", "round_robin", 10, 1, bots, {"ordered": False})
    services.start(cup, boss)
    play(limit=20)
    page = client.get(cup.get_absolute_url())
    rows = [row for row, _bot in page.context["standings"]]
    assert [row.points for row in rows] == sorted((row.points for row in rows), reverse=True)
    sums = {row.entrant: row for row in current_standings(cup)}
    assert all(row.points == sums[row.entrant].points / max(1, row.played) for row in rows)
    assert "bots are ordered by their mean points" in page.text

    finish(cup)
    page = client.get(cup.get_absolute_url())
    assert [row.points for row, _ in page.context["standings"]] == [
        row.points for row in current_standings(cup)
    ]
    assert "bots are ordered by their mean points" not in page.text


def test_in_a_running_round_robin_all_have_played_about_equally_often(boss, rps, user, client):
    field = active_bots(user, rps, [f"bot{number}" for number in range(12)])
    cup = services.create(boss, rps, "Cup", "round_robin", 1, 1, field)
    services.start(cup, boss)
    for _ in range(3):
        play(limit=33)
        played = [row.played for row in current_standings(cup)]
        assert max(played) - min(played) <= 2
