"""What holds for every address of the site: what depends on who asks is kept by no shared cache."""

import logging
import re

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.cache import has_vary_header

from agon.site.bots.services import receive
from agon.site.competitions import announcing
from agon.site.competitions.announcing import Words
from agon.site.seasons import services as seasons
from agon.site.seasons.services import Wanted
from agon.site.tournaments import services
from agon.site.trials.models import Trial

from .conftest import browser_of, play

pytestmark = pytest.mark.production

OTHERS = ("admin/", "accounts/", "i18n/", "api/")  # some are visited below, the API has tests of its own
VISITED = [
    "/admin/",
    "/admin/bots/submission/",
    "/admin/login/",
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/logout/",
    "/accounts/password/change/",
    "/accounts/password/reset/",
    "/accounts/email/",
    "/nowhere",
    "/bots/0/",
]


# What htmx and our scripts ask a form for: a field of that name would be what they get.
ASKED_OF_FORMS = {
    *("action", "addEventListener", "attributes", "children", "classList", "closest", "contains", "dataset"),
    *("dispatchEvent", "elements", "getAttribute", "hasAttribute", "id", "isConnected", "matches", "method"),
    *("nodeName", "parentElement", "parentNode", "querySelector", "querySelectorAll", "removeAttribute"),
    *("requestSubmit", "reset", "setAttribute", "submit", "tagName", "target"),
}


@pytest.fixture
def places(four, organizer) -> dict[str, str]:
    """Values for the places in addresses, of things that exist."""
    match = play(four)
    uploaded = receive(four[0].bot.owner, match.competition, "Vera", "vera.py", b"print('READY')\n")
    cup = services.create(
        organizer, match.competition, "Cup", "rotations", 1, 3, [submission.bot for submission in four]
    )
    services.start(cup)
    season = seasons.create(organizer, Wanted("Season", "mean", [], None, [cup]))
    trial = Trial.objects.create(
        competition=match.competition, owner=four[0].bot.owner, person="ada", opponent=four[0]
    )
    announced = announcing.announce(match.competition, Words("News", "They are good."), organizer)
    return {
        "announcement": str(announced.pk),
        "trial": trial.token,
        "bot": str(four[0].bot_id),
        "submission": str(uploaded.pk),
        "match": str(match.pk),
        "tournament": str(cup.pk),
        "season": str(season.pk),
    }


def patterns(entries, prefix="") -> list[tuple[str, URLPattern]]:
    every = []
    for entry in entries:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            every += [] if route.startswith(OTHERS) else patterns(entry.url_patterns, route)
        else:
            every.append((route, entry))
    return every


def addresses(places: dict[str, str]) -> list[str]:
    paths = []
    for route, pattern in patterns(get_resolver().url_patterns):
        thing = pattern.name.split("_")[0]
        address = route.replace("<slug:slug>", "samurai").replace("<slug:game>", "samurai")
        address = address.replace("<int:pk>", places.get(thing, "1")).replace("<int:number>", "0")
        address = address.replace("<str:name>", "starter.py").replace("<day:day>", "2026-01-02")
        address = address.replace("<path:page>", "guides/compete").replace("<str:image>", "home.png")
        address = address.replace("<str:digest>", "0123456789abcdef").replace("<str:token>", places["trial"])
        address = address.replace("^u/(?P<name>[\\w.@+-]{1,150})/", "u/ada/").removesuffix("$")
        address = address.replace("<slug:script>", "hidden_favor").replace("<int:delivery>", "1")
        address = address.replace("<str:secret>", "no-secret").replace("<slug:secret>", "no-secret")
        address = address.replace("<int:member>", "1").replace("<str:provider_id>", "provider")
        assert "<" not in address, f"what stands for the places of {route}?"
        paths.append(f"/{address}")
    return paths


@pytest.mark.parametrize("who", ["nobody", "ada", "organizer"])
def test_what_depends_on_who_asks_is_private_and_no_field_hides_what_scripts_ask_a_form(
    places, user, organizer, who
):
    browser = {"nobody": Client(), "ada": browser_of(user), "organizer": browser_of(organizer)}[who]
    seen = set()
    for address in [*addresses(places), *VISITED]:
        if address.endswith("/events/"):  # a stream without an end; it says no-store
            continue
        answer = browser.get(address)
        control = answer.headers.get("Cache-Control", "")
        seen.add(answer.status_code)
        if "samurai/viewer.js" in address:
            assert control == "max-age=300"
        elif has_vary_header(answer, "Cookie") or answer.cookies:
            assert "private" in control, (address, control)
        page = answer.headers.get("Content-Type", "").startswith("text/html")
        if who != "nobody" and page and answer.status_code in (200, 404):
            assert "private" in control, (address, control)
        if page and not address.startswith("/admin/"):
            fields = set(re.findall(r'\sname="(\w+)"', answer.content.decode()))
            assert (address, fields & ASKED_OF_FORMS) == (address, set())
    assert 200 in seen


@pytest.mark.parametrize("host", ["evil.example", "a b", "a.example:80:80", "", "[::", "\udc80", "x" * 5000])
def test_a_host_that_is_not_ours_gets_a_short_answer_and_leaves_a_line(client, db, host, caplog):
    with caplog.at_level(logging.DEBUG):
        answer = client.get("/", headers={"host": host})
    assert answer.status_code == 400
    assert len(answer.content) < 200
    assert all(record.exc_info is None for record in caplog.records)
    assert len(caplog.text) < 1000


NASTY = "\x1b[31mred\x1b[0m \u202eevil\u2066"


@pytest.mark.parametrize("query", ["", "?raw=1", "?raw=1&part=match"])
def test_what_bots_wrote_is_shown_without_anything_that_a_screen_obeys(client, four, query, monkeypatch):
    from agon.site.matches import records

    match = play(four, {(0, 1): ("crash", f"expected a lord, got {NASTY}")})
    whole = records.log

    def nasty(match):
        log = whole(match)
        exchanges = [exchange._replace(sent=f"{NASTY}", reply=NASTY) for exchange in log.exchanges]
        return type(log)(**{**vars(log), "exchanges": tuple(exchanges)})

    monkeypatch.setattr(records, "log", nasty)
    page = client.get(f"/matches/{match.pk}/{query}").content.decode()
    assert not set("\x1b\u202e\u2066") & set(page)
    if query:
        assert "\\x1b[31mred" in page
        assert "\\u202e" in page


def test_standard_error_is_an_attachment_and_its_preview_is_escaped(signed_in, four, monkeypatch):
    from agon.site.matches import records

    match = play(four)
    monkeypatch.setattr(records, "stderr", lambda seat: NASTY.encode())
    page = signed_in.get(f"/matches/{match.pk}/").content.decode()
    assert "\\x1b[31mred" in page
    assert not set("\x1b\u202e") & set(page)
    answer = signed_in.get(f"/matches/{match.pk}/stderr/0")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.content == NASTY.encode()
