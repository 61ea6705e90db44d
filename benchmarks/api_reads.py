"""Measures what reading by program costs beside the page that shows the same.

    python -m benchmarks.api_reads                           with SQLite, in a temporary folder
    DATABASE_URL=postgres://... python -m benchmarks.api_reads
                                                             with PostgreSQL: makes a database on that server
    ... --matches 5000 --competitions 2 --each 30            the size of the site, and requests of each

Fills a site (benchmarks/crowded.py: its first competition has 1,000 bots, the second 120). For each operation
it requests the page and the operation in turn, EACH times, without HTTP, as the same account: middleware,
view, templates or JSON, and compression. Prints the median processor time of both and the median of the
ratios of neighboring requests: with what pages keep in the cache, and with an empty cache. --json: as a table
for benchmarks/results.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.pages import request, site_environment

if TYPE_CHECKING:
    from django.test import Client

    from benchmarks.crowded import Crowded


class Pair(NamedTuple):
    """An operation and the page that shows the same."""

    name: str
    operation: str
    page: str


class Cost(NamedTuple):
    """Medians: milliseconds of the page and of the operation, and the ratio of neighboring requests."""

    page: float
    operation: float
    ratio: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.api_reads")
    parser.add_argument("--competitions", type=int, default=2)
    parser.add_argument("--matches", type=int, default=5000)
    parser.add_argument("--each", type=int, default=30, help="requests of each page and operation")
    parser.add_argument("--sandbox", default=None, help="docker or bubblewrap, for the real matches")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with site_environment():
        _measure(options)


def _measure(options: argparse.Namespace) -> None:
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client

    from agon.site.api import limits
    from agon.site.bots.models import Bot
    from agon.site.tokens.services import issue
    from benchmarks.crowded import fill

    settings.ALLOWED_HOSTS = ["testserver"]
    limits.READS = limits.Policy("read", 10**6, 60)
    call_command("migrate", verbosity=0, interactive=False)
    crowded = fill(options.competitions, options.matches, options.sandbox)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    gc.collect()
    gc.freeze()  # as agon.site.asgi does
    person = crowded.people[0]
    token = issue(person, "benchmark", ["read"])[1]
    browser = Client(headers={"Accept-Encoding": "gzip"})
    browser.force_login(person)
    program = Client(headers={"Accept-Encoding": "gzip", "Authorization": f"Bearer {token}"})
    print(f"{connection.vendor}: {Bot.objects.count()} bots, {options.matches} matches", flush=True)
    rows = []
    for pair in _pairs(crowded):
        warm = _compare(pair, browser, program, options.each, is_empty=False)
        empty = _compare(pair, browser, program, options.each // 3, is_empty=True)
        rows.append(_row(pair.name, warm, empty))
        print("{:34} {:>9} {:>9} {:>6}   empty cache {:>9} {:>9} {:>6}".format(*rows[-1]), flush=True)
    if options.json:
        print(json.dumps(rows))


def _pairs(crowded: Crowded) -> list[Pair]:
    from agon.site.challenges.models import Challenge
    from agon.site.comparisons.models import Comparison
    from agon.site.matches.models import Match
    from agon.site.tournaments.models import Tournament

    competition, person = crowded.places[0].competition, crowded.people[0]
    slug = competition.slug
    bot = person.bots.filter(competition=competition, active__isnull=False).first()
    cup = Tournament.objects.filter(competition=competition, state="finished").order_by("pk").first()
    assert bot is not None
    assert cup is not None
    comparison = Comparison.objects.filter(owner=person).first()
    challenge = Challenge.objects.first()
    match = Match.objects.get(pk=crowded.shown[0])
    pairs = [
        Pair("leaderboard", f"competitions/{slug}/leaderboard?limit=50", f"c/{slug}/"),
        Pair("leaderboard, 200 rows", f"competitions/{slug}/leaderboard?limit=200", f"c/{slug}/"),
        Pair("competitions", "competitions", ""),
        Pair("matches", f"matches?competition={slug}", f"c/{slug}/matches/"),
        Pair("matches, 200 rows", f"matches?competition={slug}&limit=200", f"c/{slug}/matches/"),
        Pair("a match", f"matches/{match.pk}", f"matches/{match.pk}/"),
        Pair("a bot", f"bots/{bot.pk}", f"bots/{bot.pk}/"),
        Pair("analysis of a bot", f"bots/{bot.pk}/analysis", f"bots/{bot.pk}/analysis/"),
        Pair("a submission", f"submissions/{bot.active_id}", f"submissions/{bot.active_id}/"),
        Pair("tournaments", f"tournaments?competition={slug}", f"c/{slug}/tournaments/"),
        Pair("a tournament", f"tournaments/{cup.pk}", f"tournaments/{cup.pk}/"),
        Pair("standings of a tournament", f"tournaments/{cup.pk}/standings", f"tournaments/{cup.pk}/"),
        Pair("matrix of a tournament", f"tournaments/{cup.pk}/matrix", f"tournaments/{cup.pk}/matrix"),
        Pair("own bots", "me/bots", f"u/{person.username}/"),
        Pair("rules of a game", f"games/{competition.game}/rules", f"c/{slug}/rules/"),
    ]
    if comparison is not None:
        pairs.append(Pair("a comparison", f"comparisons/{comparison.pk}", f"comparisons/{comparison.pk}/"))
    if challenge is not None:
        pairs.append(Pair("a challenge", f"challenges/{challenge.pk}", f"challenges/{challenge.pk}/"))
    return pairs


def _compare(pair: Pair, browser: Client, program: Client, count: int, is_empty: bool) -> Cost:
    from django.core.cache import cache

    pages, operations = [], []
    for number in range(count + 1):
        both = []
        for client, address in ((browser, f"/{pair.page}"), (program, f"/api/v1/{pair.operation}")):
            if is_empty:
                cache.clear()
            measured = request(pair.name, client, address)
            assert measured.status == 200, (address, measured.status)
            both.append(measured.ms)
        if number:  # the first one loads what is loaded only once
            pages.append(both[0])
            operations.append(both[1])
    ratios = [operation / page for page, operation in zip(pages, operations, strict=True)]
    return Cost(statistics.median(pages), statistics.median(operations), statistics.median(ratios))


def _row(name: str, warm: Cost, empty: Cost) -> list[str]:
    return [name, *(text for cost in (warm, empty) for text in _texts(cost))]


def _texts(cost: Cost) -> tuple[str, str, str]:
    return f"{cost.page:.1f} ms", f"{cost.operation:.1f} ms", f"{cost.ratio:.2f}"


if __name__ == "__main__":
    main()
