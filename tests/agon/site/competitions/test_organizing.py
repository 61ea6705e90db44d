"""Competitions by organizers, in the browser: drafts, opening, changes, other organizers."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition, CompetitionDraft
from agon.site.leaderboards import ladder
from agon.site.use_cases import closing_accounts, opening_checks
from games.core.manifest import load
from tests.agon.site.web.conftest import browser_of
from tests.support.factories import activate

pytestmark = pytest.mark.django_db
FORM = {
    "title": "Spring cup",
    "slug": "spring-cup",
    "game": "honest_rps",
    "summary": "For the class of 2027.",
    "text": "# Welcome\n\nAsk **Ada**.",
    "entry": "all",
    "teams": "any",
    "time_zone": "Europe/Berlin",
    "house_bots": "on",
    "ladder": "on",
}
BOT = "def play(view):\n    return 0\n"


def draft(desk: Client, **changes: str) -> CompetitionDraft:
    answer = desk.post("/competitions/new/", FORM | changes)
    assert answer.status_code == 302, answer.content.decode()
    return CompetitionDraft.objects.get(pk=int(answer["Location"].rstrip("/").rsplit("/", 1)[1]))


def opened(desk: Client, **changes: str) -> Competition:
    made = draft(desk, **changes)
    answer = desk.post(f"/competitions/drafts/{made.pk}/open/")
    assert answer["Location"] == f"/c/{FORM['slug']}/settings/", answer.content.decode()
    return Competition.objects.get(slug=FORM["slug"])


def change(desk: Client, competition: Competition, **changes: str):
    page = desk.get(f"/c/{competition.slug}/settings/").context
    sent = FORM | {"seen": page["seen"], "why": "Asked for by many."} | changes
    return desk.post(f"/c/{competition.slug}/settings/", sent, follow=True)


def submit(user: User, competition: Competition, name: str = "Rita"):
    sent = {"way": "text", "name": name, "text": BOT, "language": "python"}
    return browser_of(user).post(f"/c/{competition.slug}/submit/", sent)


class TestDrafts:
    def test_nobody_else_sees_a_draft_until_it_is_opened(self, desk, user):
        made = draft(desk)
        for reader in (Client(), browser_of(user)):
            assert reader.get("/c/spring-cup/").status_code == 404
            assert "Spring cup" not in reader.get("/").content.decode()
        assert browser_of(user).get(made.get_absolute_url()).status_code == 404
        assert browser_of(user).post(f"/competitions/drafts/{made.pk}/open/").status_code == 404

        assert desk.post(f"/competitions/drafts/{made.pk}/open/").status_code == 302
        page = Client().get("/c/spring-cup/rules/").content.decode()
        assert "<strong>Ada</strong>" in page
        assert '<h3 id="welcome">' in page  # below the page's own headings
        assert "For the class of 2027." in Client().get("/c/spring-cup/").content.decode()
        assert not CompetitionDraft.objects.exists()

    def test_a_second_click_on_open_makes_no_second_competition(self, desk):
        made = draft(desk)
        first, second = (desk.post(f"/competitions/drafts/{made.pk}/open/") for _ in range(2))
        assert (first.status_code, second.status_code) == (302, 404)
        assert Competition.objects.filter(game="honest_rps").count() == 1

    def test_two_forms_of_one_draft_do_not_overwrite_each_other(self, desk):
        made = draft(desk)
        address = made.get_absolute_url()
        assert desk.post(address, FORM | {"revision": "1", "title": "First"}).status_code == 302
        answer = desk.post(address, FORM | {"revision": "1", "title": "Second"})
        assert answer.status_code == 422
        assert "changed meanwhile (title)" in answer.content.decode()
        made.refresh_from_db()
        assert made.settings["title"] == "First"

        assert desk.post(address, FORM | {"revision": "2", "title": "Second"}).status_code == 302

    def test_an_account_without_the_right_makes_none_unless_all_may(self, user, settings):
        assert browser_of(user).post("/competitions/new/", FORM).status_code == 404
        settings.AGON_ANYONE_MAY_ORGANIZE = True
        competition = opened(browser_of(user))
        assert browser_of(user).get(f"/c/{competition.slug}/tournaments/new/").status_code == 200

    def test_who_is_no_organizer_of_the_site_has_a_bounded_number_of_open_ones(self, user, settings):
        settings.AGON_ANYONE_MAY_ORGANIZE = True
        browser = browser_of(user)
        for number in range(5):
            made = draft(browser, title=f"Cup {number}", slug=f"cup-{number}")
            browser.post(f"/competitions/drafts/{made.pk}/open/")
        made = draft(browser)
        page = browser.post(f"/competitions/drafts/{made.pk}/open/", follow=True).content.decode()
        assert "You run 5 open competitions." in page
        assert Competition.objects.filter(organizers__user=user).count() == 5
        browser.post("/c/cup-1/settings/state/", {"state": "closed"})
        assert browser.post(f"/competitions/drafts/{made.pk}/open/").status_code == 302
        assert Competition.objects.filter(slug="spring-cup").exists()
        browser.post("/c/cup-1/settings/state/", {"state": "open"})
        assert Competition.objects.get(slug="cup-1").state == "closed"

    def test_an_organizer_has_a_bounded_number_of_drafts(self, desk):
        for number in range(20):
            draft(desk, title=f"Cup {number}")
        answer = desk.post("/competitions/new/", FORM)
        assert "You have 20 drafts" in answer.content.decode()

    def test_the_checks_name_what_would_keep_people_out(self, desk):
        made = draft(
            desk, entry="domain", email_domains="example.org", entry_closes="2020-01-01T10:00", house_bots=""
        )
        page = desk.get(made.get_absolute_url()).content.decode()
        assert "Entry closes in the past" in page
        assert "This site sends no mail" in page
        assert "Without house bots no match is played until 2 bots have entered" in page

    def test_the_checks_say_when_no_house_bot_is_for_newcomers(self, desk, monkeypatch):
        made = draft(desk)
        words = "No house bot plays at the lowest level"
        assert words not in desk.get(made.get_absolute_url()).content.decode()
        info = load("honest_rps")
        strong = replace(info, house=tuple(bot for bot in info.house if bot.strength > 1))
        monkeypatch.setattr(opening_checks, "load", lambda game: strong)
        page = desk.get(made.get_absolute_url()).content.decode()
        assert words in page
        assert "Enter a weak bot of your own." in page

    def test_the_checks_say_that_entry_by_roster_takes_a_course(self, desk):
        page = desk.get(draft(desk, entry="roster").get_absolute_url()).content.decode()
        assert "Make a course instead" in page

    def test_a_draft_of_a_game_that_is_gone_is_shown_and_not_opened(self, desk):
        made = draft(desk)
        CompetitionDraft.objects.update(settings=made.settings | {"game": "gone"})
        assert "The game does not work on this site" in desk.get(made.get_absolute_url()).content.decode()
        page = desk.post(f"/competitions/drafts/{made.pk}/open/", follow=True).content.decode()
        assert "There is no game “gone” here." in page

    @pytest.mark.first(4)
    @pytest.mark.parametrize(
        ("field", "value", "words"),
        [
            ("slug", "Spring Cup", "lowercase letters"),
            ("slug", "x" * 61, "60"),
            ("title", "\u202espring", "visible letters"),
            ("title", " \u200b ", "visible letters"),
            ("text", "a\u202eb", "invisible or turn text around"),
            ("game", "chess", "chess"),
            ("time_zone", "Mars/Olympus", "Mars/Olympus"),
            ("bots_per_owner", "0", "1"),
            ("entry_closes", "2026-02-30T10:00", "valid date"),
            ("entry_closes", "2027-03-28T02:30", "skip this time"),
            ("entry_closes", "2027-10-31T02:30", "show this time twice"),
            ("email_domains", "example.org", "for entry by e-mail address alone"),
            ("entry", "friends", "friends"),
        ],
    )
    def test_what_is_wrong_is_said_beside_its_field_and_nothing_is_kept(self, desk, field, value, words):
        answer = desk.post("/competitions/new/", FORM | {field: value})
        assert answer.status_code == 422
        assert any(words in error for error in answer.context["form"].errors[field])
        assert not CompetitionDraft.objects.exists()

    @pytest.mark.first(1)
    @pytest.mark.parametrize(
        ("zone", "wall", "utc"),
        [
            ("Asia/Kathmandu", "2027-01-01T00:00", datetime(2026, 12, 31, 18, 15, tzinfo=UTC)),
            ("America/St_Johns", "2028-02-29T23:59", datetime(2028, 3, 1, 3, 29, tzinfo=UTC)),
            ("Europe/Berlin", "2027-07-01T18:00", datetime(2027, 7, 1, 16, 0, tzinfo=UTC)),
        ],
    )
    def test_times_are_meant_in_the_zone_of_the_organizer(self, desk, zone, wall, utc):
        competition = opened(desk, time_zone=zone, entry_closes=wall)
        assert competition.entry_closes == utc
        page = desk.get("/c/spring-cup/settings/").content.decode()
        assert f'value="{wall}"' in page
        assert utc.isoformat() in Client().get("/c/spring-cup/").content.decode()

    def test_an_address_or_a_title_that_is_taken_meanwhile_is_refused(self, desk, competition):
        made = draft(desk, slug=competition.slug)
        page = desk.post(f"/competitions/drafts/{made.pk}/open/", follow=True).content.decode()
        assert "A competition has this address." in page
        namesake = draft(desk, title=f"  {competition.title.upper()} ", slug="other")
        page = desk.post(f"/competitions/drafts/{namesake.pk}/open/", follow=True).content.decode()
        assert "There is a competition of this title." in page
        assert Competition.objects.count() == 1


class TestEntering:
    def test_uploads_count_by_the_time_at_which_they_arrive(self, desk, user):
        competition = opened(desk)
        soon, past = timezone.now() + timedelta(hours=1), timezone.now() - timedelta(seconds=1)
        Competition.objects.update(entry_opens=soon)
        assert "Entry opens at" in submit(user, competition).content.decode()
        Competition.objects.update(entry_opens=past, entry_closes=soon)
        assert submit(user, competition).status_code == 302
        Competition.objects.update(entry_closes=past)
        answer = submit(user, competition).content.decode()
        assert "Entry closed at" in answer
        assert "(Europe/Berlin)" in answer
        assert Bot.objects.get().submissions.count() == 1
        page = Client().get("/c/spring-cup/").content.decode()
        assert 'href="/c/spring-cup/submit/"' not in page

    def test_only_those_with_the_link_enter_and_a_new_link_ends_the_old_one(self, desk, user, bob):
        competition = opened(desk, entry="link")
        old = desk.get("/c/spring-cup/settings/").context["link"]
        for reader in (Client(), browser_of(user)):  # before a form is filled in for nothing
            assert "for those who have its link" in reader.get("/c/spring-cup/submit/").content.decode()
        assert "for those who have its link" in submit(user, competition).content.decode()
        browser = browser_of(user)
        assert browser.get(old).status_code == 200
        assert "for those who have its link" in submit(user, competition).content.decode()
        assert browser.post(old).status_code == 302
        assert submit(user, competition).status_code == 302

        desk.post("/c/spring-cup/settings/link/")
        page = browser_of(bob).post(old, follow=True).content.decode()
        assert "no longer valid" in page
        assert "for those who have its link" in submit(bob, competition).content.decode()
        assert submit(user, competition, "Rita 2").status_code == 302  # who was admitted stays

    def test_an_unconfirmed_address_of_the_domain_does_not_admit(self, desk, user):
        competition = opened(desk, entry="domain", email_domains="Example.org")
        address = user.emailaddress_set.create(email="ada@EXAMPLE.org", verified=False)
        user.emailaddress_set.create(email="ada@example.org.evil.net", verified=True)
        assert "Confirm an e-mail address of example.org" in submit(user, competition).content.decode()
        address.verified = True
        address.save()
        assert submit(user, competition).status_code == 302

    def test_languages_and_the_number_of_bots_are_as_the_organizer_says(self, desk, user):
        competition = opened(desk, languages="cpp", bots_per_owner="1")
        assert "programs in C++ alone" in submit(user, competition).content.decode()
        change(desk, competition, languages="python", bots_per_owner="1")
        assert submit(user, competition).status_code == 302
        assert "You have 1 bots in this competition" in submit(user, competition, "Sue").content.decode()

    def test_without_a_ladder_no_rated_match_is_queued(self, desk, olga):
        competition = opened(desk, ladder="")
        first, _second = activate(olga, competition, ["Rita", "Sue"])
        assert ladder.top_up(competition) == 0
        assert ladder.first_match(first) is None
        change(desk, competition)  # with a ladder
        assert ladder.top_up(Competition.objects.get(pk=competition.pk)) > 0


class TestChanges:
    def test_entrants_see_each_change_with_its_reason(self, desk):
        competition = opened(desk)
        assert change(desk, competition, bots_per_owner="3").status_code == 200
        page = Client().get("/c/spring-cup/changes/").content.decode()
        assert "Asked for by many." in page
        assert "Bots of one owner" in page
        assert "<ins>3</ins>" in page
        act = Act.objects.latest("pk")
        assert (act.actor.username, act.details) == ("olga", {"bots_per_owner": {"old": None, "new": 3}})

    def test_a_change_needs_a_reason(self, desk):
        competition = opened(desk)
        answer = change(desk, competition, bots_per_owner="3", why=" ")
        assert answer.status_code == 422
        assert "Say why" in answer.content.decode()
        competition.refresh_from_db()
        assert competition.bots_per_owner is None

    def test_the_game_and_the_address_are_fixed(self, desk):
        competition = opened(desk)
        change(desk, competition, slug="other", game="coup")
        competition.refresh_from_db()
        assert (competition.slug, competition.game) == ("spring-cup", "honest_rps")

    def test_the_second_of_two_organizers_hears_what_the_first_changed(self, desk):
        competition = opened(desk)
        seen = desk.get("/c/spring-cup/settings/").context["seen"]
        change(desk, competition, title="Summer cup")
        sent = FORM | {"seen": seen, "why": "So be it.", "summary": "Other"}
        answer = desk.post("/c/spring-cup/settings/", sent)
        assert answer.status_code == 422
        assert "changed meanwhile (title)" in answer.content.decode()
        competition.refresh_from_db()
        assert competition.title == "Summer cup"

    def test_closing_opening_and_archiving_are_in_the_log(self, desk):
        competition = opened(desk)
        for state in ("closed", "open", "archived", "archived"):
            desk.post("/c/spring-cup/settings/state/", {"state": state, "why": "It is time."})
        verbs = [act.verb for act in Act.objects.filter(competition=competition).order_by("pk")]
        assert verbs == ["open competition", "close competition", "open competition", "archive competition"]
        competition.refresh_from_db()
        assert not competition.is_open


class TestOrganizers:
    def test_another_organizer_runs_this_competition_and_no_other(self, desk, bob, competition):
        opened(desk)
        browser = browser_of(bob)
        assert browser.get("/c/spring-cup/settings/").status_code == 404
        desk.post("/c/spring-cup/settings/organizers/", {"name": "BOB"})
        assert browser.get("/c/spring-cup/settings/").status_code == 200
        assert browser.get("/c/spring-cup/tournaments/new/").status_code == 200
        assert browser.get(f"/c/{competition.slug}/settings/").status_code == 404
        assert browser.get(f"/c/{competition.slug}/tournaments/new/").status_code == 404
        assert browser.post("/competitions/new/", FORM).status_code == 404

    def test_it_can_be_handed_over_but_never_be_without_an_organizer(self, desk, olga, bob):
        competition = opened(desk)
        page = desk.post("/c/spring-cup/settings/organizers/", {"remove": olga.pk}, follow=True)
        assert "A competition needs an organizer" in page.content.decode()
        page = desk.post("/c/spring-cup/settings/organizers/", {"name": "nobody"}, follow=True)
        assert "There is no account “nobody”" in page.content.decode()
        desk.post("/c/spring-cup/settings/organizers/", {"name": "bob"})
        desk.post("/c/spring-cup/settings/organizers/", {"remove": olga.pk})
        assert [organizer.user for organizer in competition.organizers.all()] == [bob]
        assert desk.get("/c/spring-cup/settings/").status_code == 404

    def test_it_is_handed_over_in_one_act(self, desk, olga, bob):
        competition = opened(desk)
        page = desk.post("/c/spring-cup/settings/organizers/", {"to": "nobody"}, follow=True)
        assert "There is no account “nobody”" in page.content.decode()
        desk.post("/c/spring-cup/settings/organizers/", {"to": "OLGA"})
        assert [organizer.user for organizer in competition.organizers.all()] == [olga]
        page = desk.post("/c/spring-cup/settings/organizers/", {"to": "bob"}, follow=True)
        assert "bob runs the competition now." in page.content.decode()
        assert [organizer.user for organizer in competition.organizers.all()] == [bob]
        assert desk.get("/c/spring-cup/settings/").status_code == 404
        assert browser_of(bob).get("/c/spring-cup/settings/").status_code == 200
        act = Act.objects.latest("pk")
        assert (act.verb, act.actor, act.details) == (
            "hand over",
            olga,
            {"from": olga.pk, "account": bob.pk},
        )

    def test_one_who_is_an_organizer_already_takes_the_place_and_is_there_once(self, desk, olga, bob):
        competition = opened(desk)
        carol = User.objects.create_user("carol")
        for name in ("carol", "bob"):
            desk.post("/c/spring-cup/settings/organizers/", {"name": name})
        desk.post("/c/spring-cup/settings/organizers/", {"to": "bob"})
        assert [organizer.user for organizer in competition.organizers.all()] == [bob, carol]

    def test_staff_who_are_no_organizers_of_it_have_nothing_to_hand_over(self, desk, bob):
        competition = opened(desk)
        boss = browser_of(User.objects.create_superuser("boss"))
        assert "hand-over" not in boss.get("/c/spring-cup/settings/").content.decode()
        page = boss.post("/c/spring-cup/settings/organizers/", {"to": "bob"}, follow=True)
        assert "Only an organizer of this competition can hand it over." in page.content.decode()
        assert competition.organizers.count() == 1

    def test_a_closed_account_leaves_no_draft_and_runs_nothing(self, desk, olga):
        competition = opened(desk)
        draft(desk, slug="next")
        closing_accounts.close(olga, olga, "")
        assert not CompetitionDraft.objects.exists()
        assert not competition.organizers.exists()

    def test_organizers_of_the_site_run_all(self, desk):
        opened(desk)
        boss = User.objects.create_user("boss")
        group = Group.objects.create(name="organizers of the site")
        group.permissions.add(Permission.objects.get(codename="change_tournament"))
        boss.groups.add(group)
        assert browser_of(boss).get("/c/spring-cup/settings/").status_code == 200


def test_only_those_who_run_a_competition_get_links_to_its_settings(competition, olga, desk):
    def links(browser: Client) -> tuple[bool, bool]:
        settings = f"/c/{competition.slug}/settings/"
        pages = (f"/c/{competition.slug}/", "/competitions/")
        listed, own = (settings in browser.get(page).content.decode() for page in pages)
        return listed, own

    assert desk.get(f"/c/{competition.slug}/settings/").status_code == 404
    assert links(desk) == (False, False)
    competition.organizers.create(user=olga)
    assert desk.get(f"/c/{competition.slug}/settings/").status_code == 200
    assert links(desk) == (True, True)
