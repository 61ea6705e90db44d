"""axe-core finds nothing wrong in any page of tournaments, light or dark, wide or narrow."""

import pytest

from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.tournaments import reruns, running, scheduling, services
from agon.site.tournaments.reruns import Choice
from agon.site.tournaments.states import State
from tests.support.accessibility import violations
from tests.support.drawing import window
from tests.support.factories import active_bots, duel, played

from .conftest import browser_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SITE = "http://site.test"
NAMES = ["Ada", "Bea", "Cleo", "Dora", "Eva"]


def entered(user, slug, names=NAMES):
    competition = Competition.objects.create(slug=slug, game=slug.replace("-", "_"), title=slug.title())
    return competition, active_bots(user, competition, names)


def cup(organizer, competition, bots, format, rounds=1, **chosen):
    return services.create(organizer, competition, f"Cup {format}", format, rounds, 1, bots, chosen)


def play(tournament, organizer, limit=1000):
    """Start it and play, to its end if there are few matches."""
    services.start(tournament, organizer)
    while limit and tournament.state == State.RUNNING:
        while limit and (match := leases.claim("w")) is not None:
            two = match.competition.game == "honest_rps"
            leases.finish(match, duel(match, NAMES, faulty=["Eva"]) if two else played(match))
            limit -= 1
        scheduling.tick()
        tournament.refresh_from_db()
    return tournament


@pytest.fixture
def pages(user, organizer):
    """What an organizer sees, by address, with the words that show that it is the page meant."""
    rps, bots = entered(user, "honest-rps")
    four_seats, nine = entered(user, "samurai", [*NAMES, "Fay", "Gil", "Hal", "Ivy"])
    knock_out = play(cup(organizer, rps, bots, "single_elimination"), organizer)
    double = play(cup(organizer, rps, bots, "double_elimination"), organizer)
    in_groups = play(cup(organizer, rps, bots, "groups"), organizer)
    tables = play(cup(organizer, four_seats, nine, "single_elimination"), organizer)
    all_play_all = play(cup(organizer, rps, bots, "round_robin"), organizer)
    reruns.begin(all_play_all, Choice(bot=0), organizer, "A host was disturbed.")
    while (match := leases.claim("w")) is not None:
        leases.finish(match, duel(match, NAMES[::-1]))
    swiss = play(cup(organizer, rps, bots, "swiss", 3), organizer, limit=3)
    running.withdraw(swiss, 1, organizer, "Its author asked for it.")
    draft = cup(organizer, rps, bots, "swiss", 2)
    assert swiss.state == State.RUNNING
    return {
        "/c/honest-rps/tournaments/": "Cup swiss",
        "/c/honest-rps/tournaments/new/": "Order of entry",
        f"/tournaments/{draft.pk}/": "draft",
        f"/tournaments/{swiss.pk}/": "Its author asked for it.",  # the audit log
        f"/tournaments/{knock_out.pk}/": "Main bracket",
        f"/tournaments/{double.pk}/": "Lower bracket",
        f"/tournaments/{in_groups.pk}/": "Group 2",
        f"/tournaments/{tables.pk}/": "(advances)",
        f"/tournaments/{all_play_all.pk}/": "finished",
        f"/tournaments/{all_play_all.pk}/matrix": "Head-to-head",
        f"/tournaments/{all_play_all.pk}/rerun": "Old and new results",
        f"/tournaments/{knock_out.pk}/rerun": "Run again",
    }


@pytest.mark.exhaustive
def test_axe_finds_nothing_wrong_in_pages_of_tournaments(browser, pages, organizer):
    desk = browser_of(organizer)
    answers = {address: desk.get(address).content for address in pages}
    for address, words in pages.items():
        assert words in answers[address].decode(), address
    results = {}
    with window(browser, SITE, answers) as page:
        for address in pages:
            page.goto(SITE + address)
            results[address] = violations(page)
    assert {address: wrong for address, wrong in results.items() if wrong} == {}
