"""Replays on other sites: the framed page and its headers, oEmbed, and the picture for links."""

import io
import re
from html import unescape
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from PIL import Image

from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.web.matches import preview_picture
from agon.site.web.matches.preview_picture import Side
from tests.support.factories import activate, played

SITE = "https://agon.example"


@pytest.fixture(autouse=True)
def site(settings):
    settings.SITE_URL = SITE


@pytest.fixture
def queued(user, competition):
    four = activate(user, competition, ["Ann", "<b>Bo</b>", "Cy", "Di"])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four, seed=7)
    return Match.objects.get()


@pytest.fixture
def match(queued):
    claimed = leases.claim("w")
    assert leases.finish(claimed, played(claimed, {(2, 1): ("crash", "it ended")}))
    return Match.objects.get(pk=claimed.pk)


def oembed(url, **more):
    return Client().get("/oembed/", {"url": url, **more})


def test_the_framed_page_may_be_framed_by_every_site_and_no_other_page_may(match):
    embed = Client().get(f"/matches/{match.pk}/embed/")
    assert "frame-ancestors *" in embed.headers["Content-Security-Policy"]
    assert "default-src 'self'" in embed.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in embed.headers
    page = Client().get(f"/matches/{match.pk}/")
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["X-Frame-Options"] == "DENY"


def test_the_framed_page_has_the_name_of_its_site(match, settings):
    settings.SITE_NAME = "Arena"
    text = Client().get(f"/matches/{match.pk}/embed/").content.decode()
    assert "· Arena</title>" in text
    assert "Agon" not in text


def test_the_framed_page_has_the_result_without_scripts_and_takes_the_theme(match):
    text = Client().get(f"/matches/{match.pk}/embed/?theme=dark").content.decode()
    assert '<html lang="en" data-theme="dark">' in text
    assert "&lt;b&gt;Bo&lt;/b&gt;" in text
    assert "<b>Bo</b>" not in text
    assert text.count('<span class="score">') == 4
    odd = Client().get(f"/matches/{match.pk}/embed/?theme=%22%3E").content.decode()
    assert '<html lang="en">' in odd


@pytest.mark.parametrize(
    ("state", "words"),
    [("void", "because the platform failed"), ("withdrawn", "was withdrawn"), ("queued", "is not over yet")],
)
def test_a_match_without_a_result_is_framed_with_the_reason(queued, state, words):
    Match.objects.update(state=state)
    answer = Client().get(f"/matches/{queued.pk}/embed/")
    assert words in answer.content.decode()
    assert Client().get(f"/matches/{queued.pk}/picture.png").status_code == 404


def test_a_running_match_is_framed_as_it_is_played_and_one_that_waits_asks_for_its_state(queued):
    waiting = Client().get(f"/matches/{queued.pk}/embed/").content.decode()
    assert f'data-waits="/matches/{queued.pk}/live.json" data-state="queued"' in waiting
    claimed = leases.claim("w")
    running = Client().get(f"/matches/{queued.pk}/embed/").content.decode()
    assert f'data-live="/matches/{queued.pk}/live.json"' in running
    assert "is not over yet" not in running
    assert leases.finish(claimed, played(claimed))
    over = Client().get(f"/matches/{queued.pk}/embed/").content.decode()
    assert "live.json" not in over


def test_a_match_page_leads_to_its_oembed_answer_which_frames_the_replay(match):
    page = Client().get(f"/matches/{match.pk}/").content.decode()
    [link] = re.findall(r'type="application/json\+oembed" href="([^"]+)"', page)
    address = urlsplit(unescape(link))
    assert f"{address.scheme}://{address.netloc}" == SITE
    answer = Client().get(f"{address.path}?{address.query}").json()
    assert (answer["version"], answer["type"], answer["provider_name"]) == ("1.0", "rich", "Agon")
    assert f'src="{SITE}/matches/{match.pk}/embed/"' in answer["html"]
    assert "&lt;b&gt;Bo&lt;/b&gt;" in answer["html"]
    assert answer["thumbnail_url"] == f"{SITE}/matches/{match.pk}/picture.png"
    assert (answer["thumbnail_width"], answer["thumbnail_height"]) == (1200, 630)


def test_oembed_passes_on_the_step_of_the_address_and_keeps_to_the_size_that_is_asked_for(match):
    answer = oembed(f"{SITE}/matches/{match.pk}/?theme=dark&next=evil#step=5", maxwidth="500", maxheight="9")
    [source] = re.findall(r'src="([^"]+)"', answer.json()["html"])
    assert parse_qs(urlsplit(unescape(source)).query) == {"step": ["5"], "theme": ["dark"]}
    assert (answer.json()["width"], answer.json()["height"]) == (500, 240)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize(
    "url",
    ["", "nonsense", "https://evil.example/matches/{}/", SITE, f"{SITE}/matches/{{}}0/", "http://[", "//x"],
)
def test_oembed_knows_nothing_but_matches_of_this_site(match, url):
    assert oembed(url.format(match.pk)).status_code == 404


def test_oembed_is_json_only(match):
    assert oembed(f"{SITE}/matches/{match.pk}/", format="xml").status_code == 501


def test_a_link_to_a_match_has_a_picture_that_is_drawn_once(match, monkeypatch):
    page = Client().get(f"/matches/{match.pk}/").content.decode()
    address = f"{SITE}/matches/{match.pk}/picture.png"
    assert f'<meta property="og:image" content="{address}">' in page
    answer = Client().get(f"/matches/{match.pk}/picture.png")
    assert answer.headers["Cache-Control"] == "public, max-age=86400"
    image = Image.open(io.BytesIO(answer.content))
    assert (image.format, image.size) == ("PNG", (1200, 630))
    monkeypatch.setattr(preview_picture, "draw", lambda *_: pytest.fail("drawn again"))
    assert Client().get(f"/matches/{match.pk}/picture.png").content == answer.content


def colors(data):
    image = Image.open(io.BytesIO(data)).convert("RGB")
    return {color for _, color in image.getcolors(1 << 24)}


def test_a_picture_shows_each_seat_in_its_color_and_the_curve_only_where_there_is_one():
    sides = [Side(0, "Ann", "12", 1), Side(1, "名前\u202e", "-13/2", 2)]
    without = preview_picture.draw("Coup", sides, [])
    line = preview_picture.draw("Coup", sides, [[0, 1.0, 2.0], [5, 3.0, 0.5]])
    assert {(0x6F, 0xB7, 0xF0), (0xFF, 0x9D, 0x5C)} <= colors(without)
    assert len(line) > len(without)
    flat = preview_picture.draw("Coup", sides, [[0, 1.0, 1.0], [5, 1.0, 1.0]])
    assert Image.open(io.BytesIO(flat)).size == (1200, 630)


def test_the_picture_of_a_match_has_the_color_of_its_game(match):
    accent = match.competition.info.look.dark
    shown = colors(Client().get(f"/matches/{match.pk}/picture.png").content)
    assert tuple(bytes.fromhex(accent.removeprefix("#"))) in shown


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("name", "shown"), [("Žižka", True), ("Обманщик", True), ("名前", False), ("משחק", False)]
)
def test_a_picture_shows_european_names_and_scores_below_zero_in_letters_that_its_font_has(name, shown):
    """A letter that the font does not have would be drawn as the same box as this one."""
    reference = preview_picture.draw("Coup", [Side(0, "Seat 1", "1", 1)], [])
    assert (preview_picture.draw("Coup", [Side(0, name, "1", 1)], []) != reference) is shown
    boxes, minus, dash = ("\uffff11", "−11", "–11")
    drawn = [preview_picture.draw("Coup", [Side(0, "Ann", score, 1)], []) for score in (boxes, minus, dash)]
    assert len(set(drawn)) == 3


def test_a_long_name_leaves_room_for_its_score():
    sides = [Side(0, "W" * 40, "123456789/98765", 1), Side(1, "Bo", "2", 2)]
    image = Image.open(io.BytesIO(preview_picture.draw("W" * 120, sides, []))).convert("L")
    for top, bottom in ((40, 110), (150, 210)):  # the title beside the site's name; the first seat
        row = image.crop((0, top, image.width, bottom))
        inked = [x for x in range(row.width) if row.crop((x, 0, x + 1, row.height)).getextrema()[1] > 80]
        gaps = [right - left for left, right in pairwise(inked)]
        assert max(gaps[len(gaps) // 4 :]) >= 30
        assert inked[-1] <= image.width - 50
