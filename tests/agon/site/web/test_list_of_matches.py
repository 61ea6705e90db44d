"""The list of matches that open pages follow: rendered once for all who are shown the same rows."""

import re

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agon.site.comparisons.models import Comparison
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from tests.agon.site.web.conftest import browser_of, play
from tests.support.factories import played

ROWS = "/c/samurai/matches/?part=rows"


def shown(client: Client, address: str = ROWS, **headers: str) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def test_of_one_change_the_second_reader_costs_no_look_at_seats_bots_and_faults(four, signed_in) -> None:
    for _ in range(3):
        play(four)
    first = shown(Client())
    with CaptureQueriesContext(connection) as asked:
        again = shown(signed_in)
    # Of the reader's own bots.
    marks = r'\s*<span class="badge \w+">(won|drawn|lost)</span>( <a [^>]*>Try again</a>)?'
    assert "".join(re.sub(marks, "", again).split()) == "".join(first.split())
    assert re.search(marks, again)
    assert [query["sql"] for query in asked if "matches_seat" in query["sql"]] == []
    assert len(asked) <= 8


def test_each_change_of_a_match_is_there_for_the_next_reader(four, competition) -> None:
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four, seed=1)
    assert "queued" in shown(Client())
    claimed = leases.claim("w")
    assert claimed is not None
    assert "running" in shown(Client())
    assert leases.finish(claimed, played(claimed))
    now = shown(Client())
    assert "finished" in now
    assert "running" not in now
    play(four)
    assert shown(Client()).count('<tr id="match-') == 2


def test_who_may_not_see_a_match_is_not_shown_what_was_rendered_for_others(user, bob, four) -> None:
    open_to_all = play(four)
    secret = play(four)
    comparison = Comparison.objects.create(
        owner=user,
        competition=secret.competition,
        old=four[0],
        new=four[1],
        seed=1,
        seats=4,
        least="1/10",
        most_cycles=10,
    )
    Match.objects.filter(pk=secret.pk).update(comparison=comparison)
    assert f'id="match-{secret.pk}"' in shown(browser_of(user))
    for reader in (browser_of(bob), Client()):
        rows = shown(reader)
        assert f'id="match-{open_to_all.pk}"' in rows
        assert f'id="match-{secret.pk}"' not in rows


def test_each_reader_gets_the_rows_in_their_language(four) -> None:
    play(four)
    english = shown(Client())
    japanese = shown(Client(), **{"accept-language": "ja"})
    assert "Kind" in english
    assert "Kind" not in japanese
    assert shown(Client()) == english
