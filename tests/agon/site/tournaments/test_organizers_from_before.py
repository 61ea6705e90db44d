"""The group of those who may run tournaments had another spelling."""

import pytest
from django.contrib.auth.models import Group

from agon.site.accounts.models import User
from agon.site.tournaments import services
from tests.support.old_tables import migrate_all, migrate_to

pytestmark = [pytest.mark.exhaustive, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def olga():
    """A member of the group of before; the tables are those of then."""
    migrate_to(("tournaments", "0009_reruns"))
    user = User.objects.create_user("olga")
    user.groups.add(Group.objects.get(name="Organisers"))
    yield user
    migrate_all()


def test_its_members_still_may_run_tournaments(olga):
    migrate_all()
    assert list(olga.groups.values_list("name", flat=True)) == ["Organizers"]
    assert services.may_organize(User.objects.get(pk=olga.pk))


def test_a_group_that_already_has_the_name_gets_no_rights_and_the_other_keeps_its_own(olga):
    rita = User.objects.create_user("rita")
    rita.groups.add(Group.objects.create(name="Organizers"))
    migrate_all()
    assert services.may_organize(User.objects.get(pk=olga.pk))
    assert not services.may_organize(User.objects.get(pk=rita.pk))
