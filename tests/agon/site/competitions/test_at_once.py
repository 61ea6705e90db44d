"""Organizers who do something with one competition at the same time."""

from dataclasses import replace

import pytest

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.competitions import organizing
from agon.site.competitions.models import Competition
from agon.site.competitions.organizing import ChangedMeanwhile, NotPossible
from agon.site.competitions.settings import BadSettings, CompetitionSettings, Entry
from tests.support.at_once import failures_at_once, outcomes_at_once

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
