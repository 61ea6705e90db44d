"""Following bots and competitions: what others may know becomes a notice."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots import states
from agon.site.bots.states import State
from agon.site.events import following
from agon.site.events.models import Event, Follow, Kind
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tournaments import editing, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BY_HAND, Draft, Start
from agon.site.use_cases import closing_accounts
from tests.agon.site.web.conftest import browser_of
from tests.support.factories import activate, active_bots, played, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(db) -> User:
    return User.objects.create_user("reader")


@pytest.fixture
def browser(reader):
    return browser_of(reader)


def notices(browser) -> str:
    return browser.get("/notices/").content.decode()


def test_a_followers_notices_tell_of_a_new_version(browser, user, competition):
    bot = activate(user, competition, ["Rita"])[0].bot
    assert 'id="follow" aria-pressed="false"' in browser.get(bot.get_absolute_url()).content.decode()
    browser.post(f"/bots/{bot.pk}/follow/")
    assert 'id="follow" aria-pressed="true"' in browser.get(bot.get_absolute_url()).content.decode()

    submit(user, competition, "Rita", State.QUALIFYING).move(states.ACTIVATE)
    assert "Version 2 of Rita has qualified and plays." in notices(browser)

    browser.post(f"/bots/{bot.pk}/follow/", {"stop": "1"})
    submit(user, competition, "Rita", State.QUALIFYING).move(states.ACTIVATE)
    assert "Version 3" not in notices(browser)


def test_a_followers_notice_of_a_version_leads_to_the_page_of_the_bot(browser, user, competition):
    bot = activate(user, competition, ["Rita"])[0].bot
    browser.post(f"/bots/{bot.pk}/follow/")
    version = submit(user, competition, "Rita", State.QUALIFYING)
    version.move(states.ACTIVATE)

    page = notices(browser)
    assert f'href="{bot.get_absolute_url()}">Version 2' in page
    assert version.get_absolute_url() not in page


def test_what_is_its_owners_alone_is_no_followers_notice(browser, reader, user, competition):
    bot = activate(user, competition, ["Rita"])[0].bot
    browser.post(f"/bots/{bot.pk}/follow/")
    submit(user, competition, "Rita", State.BUILDING).move(states.REJECT)
    assert not Event.objects.filter(account=reader).exists()


def test_a_followed_bots_first_win_is_told(browser, reader, user, competition):
    bots = activate(user, competition, ["Ann", "Bea", "Cyn", "Dot"])
    browser.post(f"/bots/{bots[0].bot.pk}/follow/")
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, bots)
    match = leases.claim("w")
    result = played(match)
    leases.finish(match, result)
    winners = set(match.seats.filter(won=True).values_list("name", flat=True))
    told = Event.objects.filter(account=reader, kind=Kind.BOT_FIRST_WIN)
    assert told.count() == ("Ann" in winners)


def test_tournaments_of_a_followed_competition_are_told_from_announcement_to_end(
    browser, reader, organizer, user, competition
):
    browser.post(f"/c/{competition.slug}/follow/")
    bots = active_bots(user, competition, ["Ann", "Bea", "Cyn", "Dot"])
    starts = services.Start(timezone.now() + timedelta(hours=1), Tournament.Field.PEOPLE)
    services.create(organizer, competition, "Open", "rotations", 1, 1, [], starts=starts)
    services.create(organizer, competition, "Secret", "rotations", 1, 1, bots)
    assert "The tournament Open was announced." in notices(browser)
    assert "Secret" not in notices(browser)

    services.start(Tournament.objects.get(name="Secret"), organizer)
    assert "The tournament Secret has started." in notices(browser)
    assert Event.objects.filter(account=reader).count() == 2


def test_a_tournament_that_bots_are_entered_for_by_their_owners_is_announced(
    browser, reader, organizer, competition
):
    """Nothing enters by itself: who does not know of it is not in it."""
    browser.post(f"/c/{competition.slug}/follow/")
    services.create(organizer, competition, "Open Cup", "rotations", 1, 1, [], sources_open=True)
    assert "The tournament Open Cup was announced." in notices(browser)


def test_a_draft_that_becomes_open_to_all_bots_is_announced_once(browser, organizer, user, competition):
    browser.post(f"/c/{competition.slug}/follow/")
    bots = active_bots(user, competition, ["Ann", "Bea", "Cyn", "Dot"])
    cup = services.create(organizer, competition, "Cup", "rotations", 1, 1, bots)
    assert "Cup was announced" not in notices(browser)
    start = Start(timezone.now() + timedelta(days=1), Tournament.Field.ALL)
    for starts, name in ((start, "Cup"), (BY_HAND, "Cup"), (start, "Cup"), (start, "New Cup")):
        cup.refresh_from_db()
        wanted = Draft(name, "rotations", 1, 1, bots, None, starts, sources_open=False)
        editing.edit(cup, wanted, organizer, editing.digest(cup))
    assert notices(browser).count("The tournament New Cup was announced.") == 1


def test_an_announced_tournament_that_is_cancelled_is_a_notice(browser, organizer, user, competition):
    browser.post(f"/c/{competition.slug}/follow/")
    bots = active_bots(user, competition, ["Ann", "Bea", "Cyn", "Dot"])
    starts = Start(timezone.now() + timedelta(hours=1), Tournament.Field.PEOPLE)
    announced = services.create(organizer, competition, "Open", "rotations", 1, 1, [], starts=starts)
    begun = services.create(organizer, competition, "Begun", "rotations", 1, 1, bots)
    secret = services.create(organizer, competition, "Secret", "rotations", 1, 1, bots)
    services.start(begun, organizer)
    for cup in (announced, begun, secret):
        services.cancel(cup, organizer, "no room")

    page = notices(browser)
    assert page.count("The tournament Open was cancelled.") == 1
    assert page.count("The tournament Begun was cancelled.") == 1
    assert "Secret" not in page
    owner = notices(browser_of(user))  # of entrants of those that had begun
    assert "The tournament Begun was cancelled." in owner
    assert "Open" not in owner
    assert "Secret" not in owner


def test_owners_who_follow_are_told_once(signed_in, organizer, user, competition):
    bots = active_bots(user, competition, ["Ann", "Bea", "Cyn", "Dot"])
    signed_in.post(f"/c/{competition.slug}/follow/")
    cup = services.create(organizer, competition, "Cup", "rotations", 1, 1, bots)
    services.start(cup, organizer)
    assert Event.objects.filter(account=user, kind=Kind.TOURNAMENT_STARTED).count() == 1


def test_ones_own_bot_is_not_followed(signed_in, user, competition):
    bot = activate(user, competition, ["Rita"])[0].bot
    page = signed_in.post(f"/bots/{bot.pk}/follow/", follow=True).content.decode()
    assert "You get the notices of your own bots anyway." in page
    assert not Follow.objects.exists()


def test_a_button_pressed_twice_follows_once_and_the_list_has_a_way_out(browser, competition):
    for _ in range(2):
        browser.post(f"/c/{competition.slug}/follow/")
    assert Follow.objects.count() == 1
    assert f"Stop following {competition}" in notices(browser)
    answer = browser.post(f"/c/{competition.slug}/follow/", {"stop": "notices"}, follow=True)
    assert answer.redirect_chain == [("/notices/", 302)]
    assert not Follow.objects.exists()


def test_a_followed_bot_that_fails_is_not_listed(browser, user, competition):
    """Its page is its owner's alone then, so no button can lead there."""
    bot = submit(user, competition, "Rita", State.BUILDING).bot
    browser.post(f"/bots/{bot.pk}/follow/")
    assert "Stop following Rita" in notices(browser)
    bot.submissions.get().move(states.REJECT)
    assert "Rita" not in notices(browser)


def test_what_is_followed_stays_followed_at_the_limit(browser, monkeypatch, competition, coup):
    monkeypatch.setattr(following, "MOST_FOLLOWED", 1)
    browser.post(f"/c/{competition.slug}/follow/")
    again = browser.post(f"/c/{competition.slug}/follow/", follow=True).content.decode()
    assert "Its news are among your notices." in again
    refused = browser.post(f"/c/{coup.slug}/follow/", follow=True).content.decode()
    assert "You follow 1 bots and competitions, which is the limit." in refused


def test_of_a_closed_account_nothing_is_left_that_it_followed(browser, reader, competition):
    browser.post(f"/c/{competition.slug}/follow/")
    closing_accounts.close(reader, reader, "")
    assert not Follow.objects.exists()
