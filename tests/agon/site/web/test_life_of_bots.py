"""Pages that stop, withdraw, rename and delete bots: who may, what is asked, what is refused."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.accounts.services import house_user
from agon.site.bots import reasons, states
from agon.site.bots.models import Bot, Submission
from agon.site.bots.services import receive
from agon.site.bots.states import BotState, State
from agon.site.leaderboards import fitting
from agon.site.matches import queueing
from agon.site.matches.models import Match
from agon.site.matches.states import State as MatchState
from agon.site.use_cases import leaving_play
from agon.statistics.voids import Blame
from tests.support.factories import activate, submit
from tests.support.reasons import said

from .conftest import browser_of, play

OWNERS = ("withdraw", "rename", "delete")
ADMINS = ("stop", "rename", "delete")
ACTS = ("stop", "release", "withdraw", "reenter", "rename", "delete")


@pytest.fixture
def desk(organizer) -> Client:
    return browser_of(organizer)


@pytest.fixture
def bot(four) -> Bot:
    return four[0].bot


def now(bot: Bot) -> Bot:
    return Bot.objects.get(pk=bot.pk)


def offered(client: Client, bot: Bot) -> set[str]:
    page = client.get(bot.get_absolute_url()).content.decode()
    return {act for act in ACTS if f"/bots/{bot.pk}/{act}/" in page}


def text(response) -> str:
    return response.content.decode()


def test_everybody_is_offered_what_they_may_do(signed_in, desk, bob, bot, client):
    assert offered(signed_in, bot) == set(OWNERS)
    assert offered(desk, bot) == set(ADMINS)
    assert offered(browser_of(bob), bot) == offered(client, bot) == set()


def test_a_bot_without_an_active_version_says_what_becomes_of_it(signed_in, user, competition, client):
    version = receive(user, competition, "Vera", "vera.py", b"print('READY')\n")
    page = version.bot.get_absolute_url()
    assert "Version 1 is being built and tested. It plays once it has passed." in text(signed_in.get(page))
    assert "This bot has no active version, so it is not playing." in text(client.get(page))
    Submission.objects.update(state=State.REJECTED)
    assert "Version 1 was not accepted." in text(signed_in.get(page))
    assert version.get_absolute_url() in text(signed_in.get(page))


@pytest.mark.parametrize("act", ACTS)
def test_for_others_there_is_no_such_address(signed_in, bob, bot, client, act):
    address = f"/bots/{bot.pk}/{act}/"
    stranger = browser_of(bob)
    assert {stranger.get(address).status_code, stranger.post(address, {"words": "x"}).status_code} == {404}
    assert client.post(address, {"words": "x"}).headers["Location"].startswith("/accounts/login/")
    if act in ("stop", "release"):
        assert signed_in.post(address, {"words": "x"}).status_code == 404
    assert (now(bot).state, now(bot).name) == (BotState.ENTERED, "Rita")


def test_staff_without_the_permission_may_not_and_with_it_may(bob, bot):
    bob.is_staff = True
    bob.save()
    address = f"/bots/{bot.pk}/stop/"
    assert browser_of(bob).post(address, {"words": "x"}).status_code == 404
    bob.user_permissions.add(Permission.objects.get(codename="change_bot"))
    assert browser_of(bob).post(address, {"words": "x"}).status_code == 302
    assert now(bot).state == BotState.STOPPED


@pytest.mark.parametrize("act", OWNERS)
def test_a_page_asks_before_anything_is_done(signed_in, bot, act):
    page = signed_in.get(f"/bots/{bot.pk}/{act}/")
    assert page.status_code == 200
    assert "csrfmiddlewaretoken" in text(page)
    assert (now(bot).state, now(bot).name) == (BotState.ENTERED, "Rita")
    assert Client(enforce_csrf_checks=True).post(f"/bots/{bot.pk}/{act}/").status_code == 403


def test_an_administrator_stops_a_bot_and_everybody_reads_why(desk, bot, client):
    page = desk.post(f"/bots/{bot.pk}/stop/", {"words": "It <b>cheats</b>."}, follow=True)
    assert "Rita has been stopped." in text(page)
    shown = text(client.get(bot.get_absolute_url()))
    assert "This bot has been stopped" in shown
    assert "It &lt;b&gt;cheats&lt;/b&gt;." in shown
    assert "By an administrator" in shown
    assert "Rita" not in text(client.get("/c/samurai/"))


@pytest.mark.parametrize("words", ["", "  \n ", "x" * 501])
def test_without_a_reason_it_is_not_stopped(desk, bot, words):
    page = desk.post(f"/bots/{bot.pk}/stop/", {"words": words})
    assert (page.status_code, now(bot).state) == (422, BotState.ENTERED)
    assert "words" in page.context["form"].errors


def test_and_lets_it_play_again(desk, bot, client):
    desk.post(f"/bots/{bot.pk}/stop/", {"words": "x"})
    assert offered(desk, bot) == {"release", "rename", "delete"}
    page = desk.post(f"/bots/{bot.pk}/release/", {"why": "it was another one"}, follow=True)
    assert "Rita is playing again." in text(page)
    assert "Rita" in text(client.get("/c/samurai/"))


def test_the_owner_of_a_stopped_bot_is_told_so(signed_in, desk, bot):
    desk.post(f"/bots/{bot.pk}/stop/", {"words": "x"})
    assert offered(signed_in, bot) == set()
    for act in (*OWNERS, "reenter"):
        page = signed_in.post(f"/bots/{bot.pk}/{act}/", {"words": "Other"}, follow=True)
        assert "You cannot do this now: the bot is stopped." in text(page)
    page = signed_in.post(
        "/c/samurai/submit/", {"name": "Rita", "way": "text", "text": "print()", "language": "python"}
    )
    assert "Rita is stopped. New versions are not accepted." in text(page)
    assert (now(bot).state, now(bot).name) == (BotState.STOPPED, "Rita")


def test_its_owner_withdraws_it_and_brings_it_back(signed_in, bot, client):
    assert "Rita has been withdrawn." in text(signed_in.post(f"/bots/{bot.pk}/withdraw/", follow=True))
    assert "This bot was withdrawn by its owner" in text(client.get(bot.get_absolute_url()))
    page = signed_in.post(
        "/c/samurai/submit/", {"name": "Rita", "way": "text", "text": "print()", "language": "python"}
    )
    assert "Let it play again before you upload" in text(page)
    assert offered(signed_in, bot) == {"reenter", "rename", "delete"}
    too_soon = text(signed_in.post(f"/bots/{bot.pk}/reenter/", follow=True))
    assert "Rita was withdrawn less than an hour ago. It can play again in" in too_soon
    Bot.objects.update(changed=timezone.now() - leaving_play.ABSENCE)
    assert "Rita is playing again." in text(signed_in.post(f"/bots/{bot.pk}/reenter/", follow=True))
    assert "Rita" in text(client.get("/c/samurai/"))


def test_in_a_second_tab_it_is_too_late(signed_in, bot):
    signed_in.post(f"/bots/{bot.pk}/withdraw/")
    page = signed_in.post(f"/bots/{bot.pk}/withdraw/", follow=True)
    assert "You cannot do this now: the bot is withdrawn." in text(page)


def test_it_is_renamed_and_its_matches_keep_the_old_name(signed_in, bot, four, client):
    match = play(four)
    assert "its old name stays reserved for its owner" in text(signed_in.get(f"/bots/{bot.pk}/rename/"))
    assert "The bot is now called Rita 2." in text(
        signed_in.post(f"/bots/{bot.pk}/rename/", {"words": " Rita  2 "}, follow=True)
    )
    assert now(bot).name == "Rita 2"
    assert "Rita 2" in text(client.get("/c/samurai/"))
    page = text(client.get(match.get_absolute_url()))
    assert "Rita" in page
    assert "Rita 2" not in page


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "This field is required"),
        ("Sue", "is taken"),
        ("ＳＵＥ", "is taken"),
        ("<script>alert(1)</script>", "1 to 40"),
        ("x" * 41, "1 to 40"),
        ("x" * 300, "at most 200"),
        ("..", "1 to 40"),
        ("a\u202eb", "1 to 40"),
        ("a\x00b", "Null characters"),
    ],
)
def test_a_name_that_cannot_be_had_is_said_at_the_field(signed_in, desk, bot, name, words):
    for browser in (signed_in, desk):
        page = browser.post(f"/bots/{bot.pk}/rename/", {"words": name, "why": "it offends"})
        assert page.status_code == 422
        assert words in str(page.context["form"].errors["words"])
    assert now(bot).name == "Rita"


def test_a_deleted_bot_keeps_its_page_and_its_results(signed_in, bot, four, client):
    match = play(four)
    signed_in.post(f"/bots/{bot.pk}/delete/")
    page = text(client.get(bot.get_absolute_url()))
    assert "This bot was deleted" in page
    assert f"#{match.pk}" in page
    assert "Rita" in text(client.get(match.get_absolute_url()))
    assert "Rita" not in text(client.get("/c/samurai/"))
    assert bot.get_absolute_url() not in text(signed_in.get("/u/ada/"))
    assert signed_in.get(f"/submissions/{four[0].pk}/source").status_code == 404
    assert signed_in.get(four[0].get_absolute_url()).status_code == 200
    assert offered(signed_in, bot) == set()


def test_house_bots_are_stopped_and_nothing_else(desk, competition):
    [submission] = activate(house_user(), competition, ["Ann"])
    Bot.objects.filter(pk=submission.bot_id).update(house=True)
    assert offered(desk, submission.bot) == {"stop"}
    assert desk.post(f"/bots/{submission.bot_id}/rename/", {"words": "x"}).status_code == 404
    desk.post(f"/bots/{submission.bot_id}/stop/", {"words": "x"})
    assert offered(desk, submission.bot) == {"release"}


def test_a_stop_by_the_rule_shows_the_rule_and_its_evidence(four, client):
    match = play(four)
    fitting.fit_now(four[0].bot.competition_id)
    Match.objects.filter(pk=match.pk).update(state=MatchState.VOID)
    why = reasons.voids(Blame(four[0].bot_id, (match.pk, match.pk + 1000), 60, 3, 120, 1e-6))
    leaving_play.stop(four[0].bot, None, why)
    page = text(client.get(four[0].bot.get_absolute_url()))
    assert "platform failures began with 2 of its matches, and 60 of its matches finished" in page
    assert "By the rule for void matches" in page
    assert "The rule for void matches" in page
    assert "Among the latest 1000 matches of the competition" in page
    assert f'id="match-{match.pk}"' in page


def test_void_matches_are_shown_to_everybody(four, signed_in, client):
    for _ in range(2):
        match = play(four)
        Match.objects.filter(pk=match.pk).update(state=MatchState.VOID)
    play(four)
    page = text(client.get(four[0].bot.get_absolute_url()))
    assert '<span class="badge warn">2</span>' in page
    own = text(signed_in.get(four[0].get_absolute_url()))
    assert "<dt>Void matches</dt><dd>2</dd>" in own


def test_a_withdrawn_match_says_that_it_will_not_be_played(four, desk, client):
    match = queueing.queue(four[0].bot.competition, Match.Kind.LADDER, Match.Queue.BULK, four)
    desk.post(f"/bots/{four[0].bot_id}/stop/", {"words": "It cheats."})
    page = text(client.get(match.get_absolute_url()))
    assert "This match was withdrawn" in page
    assert "One of its bots was withdrawn, stopped, or deleted." in page
    assert f"#{match.pk}" in text(client.get("/c/samurai/matches/?state=withdrawn"))


# --- rejected tries ---------------------------------------------------------------------------------------


@pytest.fixture
def rejected(user, competition):
    submission = submit(user, competition, "Rita", State.BUILDING)
    return submission.move(states.REJECT, reason=reasons.no_build(said("x")))


def test_a_rejected_version_is_removed_by_its_owner(signed_in, rejected):
    page = text(signed_in.get(rejected.get_absolute_url()))
    assert f"/submissions/{rejected.pk}/remove/" in page
    assert "Remove version 1" in text(signed_in.get(f"/submissions/{rejected.pk}/remove/"))
    page = signed_in.post(f"/submissions/{rejected.pk}/remove/", follow=True)
    assert "Version 1 has been removed." in text(page)
    again = signed_in.post(f"/submissions/{rejected.pk}/remove/", follow=True)
    assert "Only a rejected version can be removed." in text(again)
    assert "It was rejected and then removed." in text(signed_in.get(rejected.get_absolute_url()))


def test_others_versions_and_accepted_ones_are_not_removed(signed_in, bob, rejected, four):
    assert browser_of(bob).post(f"/submissions/{rejected.pk}/remove/").status_code == 404
    page = signed_in.post(f"/submissions/{four[1].pk}/remove/", follow=True)
    assert "Only a rejected version can be removed." in text(page)
    rejected.refresh_from_db()
    assert rejected.state == State.REJECTED


# --- the admin --------------------------------------------------------------------------------------------


def test_the_admin_shows_bots_and_their_void_matches_and_changes_none(desk, bot, four):
    match = play(four)
    Match.objects.filter(pk=match.pk).update(state=MatchState.VOID)
    listed = desk.get("/admin/bots/bot/")
    assert {listed_bot.voids for listed_bot in listed.context["cl"].result_list} == {1}
    assert desk.get("/admin/bots/submission/").status_code == 200
    page = text(desk.get(f"/admin/bots/bot/{bot.pk}/change/"))
    address = re.search(r'href="(/admin/r/\d+/\d+/)"', page)[1]
    assert desk.get(address).headers["Location"].endswith(bot.get_absolute_url())
    assert desk.get("/admin/bots/bot/add/").status_code == 403
    for name in ("Sue", "<script>", ""):
        assert desk.post(f"/admin/bots/bot/{bot.pk}/change/", {"name": name}).status_code == 403
    assert desk.post(f"/admin/bots/bot/{bot.pk}/delete/", {"post": "yes"}).status_code == 403
    assert now(bot).name == "Rita"


def test_what_was_done_with_a_bot_is_in_its_history_there(desk, bot):
    desk.post(f"/bots/{bot.pk}/stop/", {"words": "It cheats."})
    page = text(desk.get(f"/admin/bots/bot/{bot.pk}/history/"))
    assert "Stopped: It cheats." in page
    assert "orga" in page


def test_nor_are_accounts_deleted_there(desk, user):
    assert desk.post(f"/admin/accounts/user/{user.pk}/delete/", {"post": "yes"}).status_code == 403
    page = desk.post(
        "/admin/accounts/user/", {"action": "delete_selected", "_selected_action": [user.pk], "post": "yes"}
    )
    assert page.status_code in (200, 302)
    assert User.objects.filter(pk=user.pk).exists()


@pytest.mark.parametrize("query", ["", "?version=1", "?version=1&beside=1"])
def test_the_analysis_of_a_bot_with_only_rejected_versions_is_a_page(rejected, signed_in, query):
    assert signed_in.get(f"/bots/{rejected.bot_id}/analysis/{query}").status_code == 200
