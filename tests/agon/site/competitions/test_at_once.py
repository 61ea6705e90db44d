"""Organizers who do something with one competition at the same time."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.competitions import announcing, organizing
from agon.site.competitions.announcing import Words
from agon.site.competitions.models import Announcement, Competition
from agon.site.competitions.organizing import ChangedMeanwhile, NotPossible
from agon.site.competitions.settings import BadSettings, CompetitionSettings, Entry
from agon.site.events.models import Event, Follow
from agon.site.tournaments import running, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament, Start
from agon.site.use_cases import competition_states
from tests.support.at_once import failures_at_once, outcomes_at_once
from tests.support.factories import active_bots

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
SETTINGS = CompetitionSettings("Spring cup", "spring-cup", "honest_rps", entry=Entry.LINK)


@pytest.fixture
def pia(db) -> User:
    return User.objects.create_user("pia")


@pytest.fixture
def competition(olga) -> Competition:
    return organizing.open_draft(organizing.create_draft(olga, SETTINGS), olga)


def test_a_draft_that_is_opened_twice_is_one_competition(olga):
    draft = organizing.create_draft(olga, SETTINGS)
    [failure] = failures_at_once([lambda: organizing.open_draft(draft, olga)] * 2)
    assert isinstance(failure, NotPossible)
    assert Competition.objects.filter(slug="spring-cup").count() == 1


def test_of_two_drafts_for_one_address_one_is_opened(olga, pia):
    drafts = [organizing.create_draft(user, SETTINGS) for user in (olga, pia)]
    [failure] = failures_at_once(
        [lambda draft=draft: organizing.open_draft(draft, draft.owner) for draft in drafts]
    )
    assert isinstance(failure, BadSettings)
    assert "slug" in failure.problems
    assert Competition.objects.filter(slug="spring-cup").count() == 1


def test_of_two_changes_the_second_is_told_of_the_first(competition, olga, pia):
    def change(title: str, by: User):
        return organizing.change(competition, replace(SETTINGS, title=title), 0, by, "Better so.")

    [failure] = failures_at_once([lambda: change("Summer cup", olga), lambda: change("Winter cup", pia)])
    assert isinstance(failure, ChangedMeanwhile)
    assert failure.fields == ("title",)
    assert Act.objects.filter(verb="change competition").count() == 1


def test_the_last_two_organizers_cannot_both_be_removed(competition, olga, pia):
    organizing.add_organizer(competition, "pia", olga)
    acts = [
        lambda: organizing.remove_organizer(competition, olga.pk, pia),
        lambda: organizing.remove_organizer(competition, pia.pk, olga),
    ]
    [failure] = failures_at_once(acts)
    assert isinstance(failure, NotPossible)
    assert competition.organizers.count() == 1


def test_a_link_that_is_followed_twice_admits_once(competition, pia):
    secret = Competition.objects.get(pk=competition.pk).entry_secret
    assert outcomes_at_once([lambda: organizing.admit(competition, pia, secret)] * 2) == [True, True]
    assert competition.participants.count() == 1


def test_the_same_words_that_are_sent_twice_are_one_announcement(competition, olga, pia):
    Follow.objects.create(account=pia, competition=competition)
    words = Words("The finals", "On Friday.")
    made = outcomes_at_once([lambda: announcing.announce(competition, words, olga)] * 3)
    assert len({announcement.pk for announcement in made if isinstance(announcement, Announcement)}) == 1
    assert Event.objects.filter(kind="announcement.made", account=pia).count() == 1


def test_of_two_who_edit_an_announcement_the_second_is_told(competition, olga):
    made = announcing.announce(competition, Words("The finals", "On Friday."), olga)
    [failure] = failures_at_once(
        [
            lambda day=day: announcing.edit(made, Words("The finals", day), 1, olga)
            for day in ("On Monday.", "On Sunday.")
        ]
    )
    assert isinstance(failure, ChangedMeanwhile)


def test_of_two_tournaments_that_are_named_at_once_one_awards_the_prizes(competition, olga, pia):
    bots = active_bots(pia, competition, ["a", "b"])
    cups = [services.create(olga, competition, name, "round_robin", 1, 1, bots) for name in ("A", "B")]
    failures = failures_at_once([lambda cup=cup: running.set_awards(cup, True, olga) for cup in cups])
    assert failures == []
    assert Tournament.objects.filter(awards=True).count() == 1


def test_nothing_is_announced_in_a_competition_that_is_archived_at_that_moment(competition, olga, pia):
    tomorrow = Start(timezone.now() + timedelta(days=1), Tournament.Field.PEOPLE)
    archived = Competition.State.ARCHIVED
    [failure] = failures_at_once(
        [
            lambda: competition_states.set_state(competition, archived, pia, "It is over."),
            lambda: services.create(olga, competition, "Final", "round_robin", 1, 1, [], starts=tomorrow),
        ]
    )
    competition.refresh_from_db()
    assert isinstance(failure, NotPossible | BadTournament)
    assert (competition.state == archived) != competition.tournaments.exists()


def test_two_who_hand_over_to_each_other_leave_one_organizer(competition, olga, pia):
    organizing.add_organizer(competition, "pia", olga)
    outcomes_at_once(
        [
            lambda: organizing.hand_over(competition, "pia", olga),
            lambda: organizing.hand_over(competition, "olga", pia),
        ]
    )
    assert competition.organizers.count() == 1
