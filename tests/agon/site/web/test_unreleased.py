"""Results that are not released look to everyone else as if they had been quite different ones."""

import re

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from agon.site.accounts.models import User
from agon.site.archives import storing
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import Start
from agon.site.tournaments.states import State
from tests.support.crawling import crawled
from tests.support.factories import active_bots, duel

from .conftest import browser_of

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
NAMES = ["Ada", "Bea", "Cleo", "Dora"]
A_SECRET_EACH_TIME = re.compile("/2fa/totp/activate/")
OF_THE_MOMENT = re.compile(  # digests and tokens, times, cookies, what depends on how long these are
    rb"[0-9a-f]{16,}|[A-Za-z0-9]{64}|<time.*?</time>|[0-9]{8}T[0-9]{6}Z|'(?:ETag|Content-Length)'[^,}]*"
    rb"|<(?:published|updated)>[^<]*|'Expires': '[^']*'|expires=[^;]*"
)


class Undone(Exception):
    """The results of one world are taken back."""


@pytest.fixture(
    params=[
        pytest.param(("round_robin", 3), id="round_robin", marks=pytest.mark.exhaustive),
        pytest.param(("swiss", 4), id="swiss"),  # the next scheduled_matches, too, depend on results
    ]
)
def cup(request, user, organizer):
    """It is being played, for the organizer's eyes only; each bot has another owner.

    A round robin of four would have twice as many matches, alike, each with a dozen addresses.
    """
    format, entrants = request.param
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    bots = active_bots(user, rps, NAMES[:entrants])
    for bot in bots:
        Bot.objects.filter(pk=bot.pk).update(owner=User.objects.create_user(f"owner-of-{bot.name}"))
    later = Start(release=Tournament.Release.ORGANIZERS)
    made = services.create(organizer, rps, "Cup", format, 1, 1, bots, starts=later)
    services.start(made)
    return made


def world(cup, order, faulty, readers):
    """What each reader sees of all pages if the bots are that good."""
    views = {}
    try:
        with transaction.atomic():
            while cup.state == State.RUNNING:
                while (match := leases.claim("w")) is not None:
                    leases.finish(match, duel(match, order, faulty))
                scheduling.tick()
                cup.refresh_from_db()
            storing.make(cup)
            views = {name: seen(cup, reader) for name, reader in readers.items()}
            raise Undone
    except Undone:
        cup.refresh_from_db()
    return views


def seen(cup, reader):
    cache.clear()  # what another world has computed
    matches = [match.get_absolute_url() for match in cup.matches.all()]
    parts = ("", "?part=match", "record.json", "log.json", "debug.json", "archive", "embed/", "picture.png")
    addresses = [f"{match}{part}" for match in matches for part in (*parts, "stderr/0", "files/x")]
    addresses += [f"/oembed/?url=http://testserver{match}" for match in matches]
    files = ("", "archive", "results.csv", "results.jsonl", "results.parquet", "sources", "logs.jsonl", "trf")
    files += ("matrix", "matrix.csv", "race.csv", "rerun", "?part=progress")
    addresses += [f"{cup.get_absolute_url()}{part}" for part in files]
    addresses += ["/c/rps/data/", "/api/v1/competitions/rps/data"]
    for bot in cup.competition.bots.all():
        addresses += [
            f"{bot.get_absolute_url()}{part}"
            for part in ("", "analysis/", "rungs/", "times.csv", "faults.csv")
        ]
        addresses.append(f"/c/rps/matches/?bot={bot.pk}&result=won")
        addresses.append(f"/c/rps/matches/?tournament={cup.pk}&bot={bot.pk}&result=fault")
    return {
        address: OF_THE_MOMENT.sub(b"", body)
        for address, body in crawled(reader, ["/", *addresses], but=A_SECRET_EACH_TIME).items()
    }


@pytest.mark.exhaustive
def test_nothing_anywhere_depends_on_results_that_are_not_released(cup, organizer):
    readers = {"anybody": Client(), "entrant": browser_of(User.objects.get(username="owner-of-Ada"))}
    first = world(cup, NAMES, [], readers)
    second = world(cup, NAMES[::-1], ["Bea"], readers)
    for name in readers:
        assert len(first[name]) > 60
        assert first[name].keys() == second[name].keys()
        assert [address for address in first[name] if first[name][address] != second[name][address]] == []
