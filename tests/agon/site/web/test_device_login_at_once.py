"""Approvals and polls at the same moment."""

from functools import partial
from typing import Any

import pytest

from agon.site.accounts.models import User
from agon.site.tokens.models import DeviceLogin, Token
from tests.support.at_once import outcomes_at_once

from .conftest import PASSWORD, browser_of
from .test_device_login import answer, begin, poll

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
AT_ONCE = 4


def test_approvals_at_once_make_one_token():
    browsers = [browser_of(User.objects.create_user(f"ada{n}", password=PASSWORD)) for n in range(AT_ONCE)]
    begun = begin()
    pages: Any = outcomes_at_once([partial(answer, browser, begun) for browser in browsers])

    assert sorted(page.status_code for page in pages) == [200] + [422] * (AT_ONCE - 1)
    assert poll(begun).status_code == 200
    assert Token.objects.get().owner == DeviceLogin.objects.get().owner


def test_polls_at_once_make_one_token():
    ada = User.objects.create_user("ada", password=PASSWORD)
    begun = begin()
    answer(browser_of(ada), begun)
    responses: Any = outcomes_at_once([partial(poll, begun)] * AT_ONCE)

    assert sorted(response.status_code for response in responses) == [200] + [400] * (AT_ONCE - 1)
    assert Token.objects.count() == 1
