"""A board that comes with an event is the same for all; each page makes of it what its reader would get."""

import pytest
from django.core.cache import cache
from django.test import Client

from agon.site.accounts.models import User
from agon.site.leaderboards import ratings
from agon.site.leaderboards.models import Rating
from agon.site.web.leaderboards.views import _board_of_all
from tests.support.drawing import window
from tests.support.factories import activate

from .conftest import browser_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db]
SITE = "http://board.test"
AS_ASKED = """([streamed, asked]) => {
  const [part, expected] = [streamed, asked].map((html) => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return template.content;
  });
  markOwn(part, document.getElementById("board").dataset);
  return [part, expected].map((each) => {
    const place = document.createElement("div");
    place.append(each);
    for (const element of place.querySelectorAll("*")) {
      const attributes = [...element.attributes].sort((a, b) => (a.name < b.name ? -1 : 1));
      for (const { name } of attributes) element.removeAttribute(name);
      for (const { name, value } of attributes) element.setAttribute(name, value);
    }
    return place.innerHTML;
  });
}"""


def rated(owner, competition, ranks):
    """A bot for each rank, by name; one without a rank has played too little for it."""
    for version, rank in zip(activate(owner, competition, list(ranks)), ranks.values(), strict=True):
        Rating.objects.filter(rated__submission=version).update(
            played=50 if rank else 1,
            rating=2000 - 100 * (rank or 9),
            low=900,
            high=2100,
            best=rank or 0,
            worst=(rank or 0) + 1,
        )


@pytest.mark.parametrize(
    "own", [{"Ann": 1}, {"Ann": 4, "Ali & <i>": 5}, {"Ann": None}], ids=["first", "two", "new"]
)
@pytest.mark.parametrize("state", ["open", "closed"])
def test_a_page_makes_of_the_board_for_all_what_its_reader_would_get(browser, user, competition, own, state):
    cache.clear()
    rated(User.objects.create_user("bob"), competition, {"Bea <b>": 3, "Bo": 6, "Bill": None})
    rated(user, competition, own)
    competition.state = state
    competition.save()
    ratings.raise_version(competition)
    streamed = _board_of_all(competition.pk, "en")
    for reader in (browser_of(user), browser_of(User.objects.create_user("newcomer")), Client()):
        page = reader.get("/c/samurai/").content
        asked = reader.get("/c/samurai/?part=board").content.decode()
        with window(browser, SITE, {"/c/samurai/": page}) as opened:
            opened.route("**/events/*", lambda route: route.abort())
            opened.goto(f"{SITE}/c/samurai/")
            made, expected = opened.evaluate(AS_ASKED, [streamed, asked])
        assert made == expected
