"""Organizers for the tests of competitions."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from agon.site.accounts.models import User
from tests.agon.site.web.conftest import browser_of


@pytest.fixture
def olga(db) -> User:
    """An organizer of the site."""
    user = User.objects.create_user("olga")
    user.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    return User.objects.get(pk=user.pk)


@pytest.fixture
def desk(olga) -> Client:
    """A test client in which olga is signed in."""
    return browser_of(olga)


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("bob")
