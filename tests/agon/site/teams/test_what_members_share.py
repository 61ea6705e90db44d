"""What a team's bots bring reaches all of its members: notices, marks in lists, results, ratings.

And programs: the API and the command line name the team.
"""

import json

import pytest

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.events import feed
from agon.site.events.models import Event, Kind
from agon.site.leaderboards import fitting
from agon.site.leaderboards.models import Rated
from agon.site.matches.models import Match
from agon.site.teams import queries
from agon.site.tokens.services import issue
from agon.site.tournaments import running, services
from agon.site.tournaments.models import Tournament
from agon.site.use_cases import qualification
from tests.agon.site.web.conftest import play
from tests.support.factories import activate, submit

from .conftest import create_team, join, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(team, competition) -> Submission:
    [submission] = activate(team.account, competition, ["Hop"])
    return submission


@pytest.fixture
def others(people, competition) -> list[Submission]:
    return activate(people["dan"], competition, ["Rita", "Sue", "Tom"])


def test_each_member_gets_the_notices_of_the_teams_bots(people, team, version, others):
    feed.number_new()
    before = Event.objects.last()
    cup = services.create(
        people["dan"],
        version.bot.competition,
        "Cup",
        "rotations",
        1,
        1,
        [submission.bot for submission in (version, *others)],
    )
    services.start(cup)
    told = Event.objects.filter(kind=Kind.TOURNAMENT_STARTED, pk__gt=before.pk if before else 0)
    assert set(told.values_list("account__username", flat=True)) == {"ada", "bob", "dan"}


def test_a_first_win_is_told_to_each_member_once_and_to_nobody_who_has_left(
    browsers, people, team, version, others
):
    browsers["bob"].post(f"/teams/{team.pk}/leave/")
    join(browsers["ada"], team, browsers["cleo"])
    play([version, *others], kind=Match.Kind.LADDER)
    told = Event.objects.filter(kind=Kind.BOT_FIRST_WIN, data__bot=version.bot.pk)
    winners = set(told.values_list("account__username", flat=True))
    assert winners in ({"ada", "cleo"}, set())


def test_lists_of_matches_mark_the_results_of_the_teams_bots(browsers, version, others):
    play([version, *others])
    marks = ("won</span>", "drawn</span>", "lost</span>")
    page = text(browsers["bob"].get("/c/samurai/matches/"))
    assert sum(page.count(mark) for mark in marks) == 1
    page = text(browsers["cleo"].get("/c/samurai/matches/"))
    assert sum(page.count(mark) for mark in marks) == 0


def test_the_home_page_and_the_board_show_the_teams_bots_as_ones_own(browsers, version, others):
    assert "Hop" in text(browsers["bob"].get("/"))
    assert f'id="row-{version.bot.pk}" class="own"' in text(browsers["bob"].get("/c/samurai/"))
    assert f'id="row-{version.bot.pk}" class="own"' not in text(browsers["cleo"].get("/c/samurai/"))


def test_results_that_are_released_to_entrants_are_released_to_members(people, version, others):
    bots = [submission.bot for submission in (version, *others)]
    version.bot.competition.organizers.create(user=people["cleo"])
    cup = services.create(people["cleo"], version.bot.competition, "Cup", "rotations", 1, 1, bots)
    cup.release = Tournament.Release.ENTRANTS
    sees = {name: running.sees_results(person, cup) for name, person in people.items()}
    assert sees == {"ada": True, "bob": True, "cleo": True, "dan": True}
    stranger = User.objects.create_user("stranger")
    assert not running.sees_results(stranger, cup)


def test_people_and_teams_who_share_a_member_are_one_author_for_ratings(
    people, team, version, competition, others
):
    [own] = activate(people["bob"], competition, ["Bobs"])
    authors = fitting.authors_of(competition.pk)
    author = {
        submission: authors[Rated.objects.get(submission=submission).rating_id]
        for submission in (version, own, *others)
    }
    assert author[version] == author[own]
    assert author[version] != author[others[0]]
    assert len({author[submission] for submission in others}) == 1


def test_two_teams_with_a_common_member_are_one_author(browsers, people, team, version, competition):
    second = create_team(browsers["cleo"], "Wombats")
    [dig] = activate(second.account, competition, ["Dig"])
    rating = {submission: Rated.objects.get(submission=submission).rating_id for submission in (version, dig)}
    apart = fitting.authors_of(competition.pk)
    assert apart[rating[version]] != apart[rating[dig]]
    join(browsers["cleo"], second, browsers["bob"])
    together = fitting.authors_of(competition.pk)
    assert together[rating[version]] == together[rating[dig]]


def test_the_program_of_a_member_gets_no_second_rating_in_the_team(people, version, competition, others):
    rating = {}
    for name in ("bob", "cleo"):
        submission = submit(people[name], competition)
        submission.digest = version.digest
        submission.save()
        qualification.enter_play(submission)
        rating[name] = submission.rated.rating
    assert rating["bob"] == version.rated.rating
    assert rating["cleo"] != version.rated.rating


def api(client, user: User, method: str, path: str, data=None):
    _, token = issue(user, "laptop", ["read", "submit"])
    headers = {"Authorization": f"Bearer {token}"}
    return getattr(client, method)(f"/api/v1/{path}", data or {}, headers=headers)


def test_programs_enter_bots_of_a_team(client, people, team, competition):
    program = {"bot": "Hop", "text": "print('READY')", "language": "python"}
    made = api(
        client, people["bob"], "post", "competitions/samurai/submissions", program | {"team": "quokkas"}
    )
    assert made.status_code == 201, made.content
    assert json.loads(made.content)["uploaded_by"] == "bob"
    assert Bot.objects.get().owner == team.account
    again = api(
        client,
        people["ada"],
        "post",
        "competitions/samurai/submissions",
        program | {"text": "print('READY') # 2"},
    )
    assert json.loads(again.content)["version"] == 2
    assert json.loads(again.content)["uploaded_by"] == "ada"
    me = json.loads(api(client, people["bob"], "get", "me").content)
    assert [(membership["name"], membership["role"]) for membership in me["teams"]] == [("Quokkas", "member")]
    own = json.loads(api(client, people["bob"], "get", "me/bots").content)
    assert [item["author"] for item in own["items"]] == ["Quokkas"]


def test_programs_of_others_do_not(client, people, team, competition):
    program = {"bot": "Hop", "text": "print('READY')", "language": "python", "team": "Quokkas"}
    refused = api(client, people["cleo"], "post", "competitions/samurai/submissions", program)
    assert refused.status_code == 422
    assert "You are in no team called Quokkas." in refused.content.decode()
    assert not Bot.objects.exists()


def test_a_readers_teams_are_asked_for_once_a_request(people, team, django_assert_num_queries):
    reader = User.objects.get(pk=people["bob"].pk)
    with django_assert_num_queries(1):
        assert queries.acts_for(reader, team.account_id)
        assert queries.acting_accounts(reader) == {reader.pk, team.account_id}
        assert not queries.leads(reader, team.account_id)
