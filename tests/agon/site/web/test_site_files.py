"""What every visitor fetches is small, kept, and there."""

import gzip
import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from .conftest import play

pytestmark = pytest.mark.django_db
GZIP = {"HTTP_ACCEPT_ENCODING": "gzip, br"}


def fetch(client: Client, address: str, **headers: str) -> tuple[bytes, dict[str, str]]:
    """Body and headers."""
    response = client.get(address, **headers)
    assert response.status_code == 200
    body = b"".join(response.streaming_content) if response.streaming else response.content
    response.close()
    return body, dict(response.headers)


def test_pages_are_compressed_for_those_who_accept_it(client, four):
    plain = client.get("/c/samurai/")
    small = client.get("/c/samurai/", **GZIP)
    assert "Content-Encoding" not in plain.headers
    assert small.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in small.headers["Vary"]
    assert b"Rita" in gzip.decompress(small.content)
    assert len(small.content) * 2 < len(plain.content)


def test_scripts_are_compressed_once_and_say_so(client):
    address = "/static/django_htmx/htmx-2.min.js"
    small, headers = fetch(client, address, **GZIP)
    script, of_plain = fetch(client, address)
    assert gzip.decompress(small) == script
    assert len(small) * 2 < len(script)
    assert headers["Content-Length"] == str(len(small))
    assert "Accept-Encoding" in of_plain["Vary"]
    assert fetch(client, address, **GZIP)[0] == small


def test_streams_and_pictures_are_not_compressed(client, four):
    for address in (reverse("match_archive", args=[play(four).pk]), "/static/img/preview.png"):
        assert "Content-Encoding" not in fetch(client, address, **GZIP)[1]


def test_the_style_sheet_is_one_file_that_browsers_keep_until_it_changes(client, competition):
    page = client.get("/").content.decode()
    [address] = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page)
    sheet = client.get(address)
    assert sheet.headers["Content-Type"].startswith("text/css")
    assert "immutable" in sheet.headers["Cache-Control"]
    assert "body" in sheet.content.decode()
    older = client.get("/style-0123456789abcdef.css")
    assert older.content == sheet.content
    assert "immutable" not in older.headers["Cache-Control"]
    assert client.get("/style-x.css").status_code == 404


def test_the_first_page_takes_less_than_a_hundred_kilobytes(client, four):
    page = client.get("/", **GZIP)
    text = gzip.decompress(page.content).decode()
    addresses = re.findall(
        r'<(?:link rel="stylesheet"|link rel="icon"|script)[^>]*(?:href|src)="([^"]+)"', text
    )
    assert len(addresses) < 8
    total = len(page.content)
    for address in addresses:
        total += len(fetch(client, address, **GZIP)[0])
    assert total <= 100_000


def test_icon_robots_and_manifest_are_there(client: Client):
    assert client.get("/favicon.ico").content.startswith(b"\0\0\1\0")
    assert "Disallow: /admin/" in client.get("/robots.txt").content.decode()
    manifest = json.loads(client.get("/site.webmanifest").content)
    assert manifest["short_name"] == "Agon"
    for icon in manifest["icons"]:
        assert fetch(client, icon["src"])[0]


@pytest.mark.parametrize(
    ("path", "title", "text"),
    [
        ("/", "Agon", "Agon hosts bot competitions: upload a program, watch it play, replay every match."),
        (
            "/c/samurai/",
            "Samurai",
            "Four daimyo negotiate with six lords by day and in secret by night, to lead ",
        ),
        ("/u/ada/", "ada", "4 bots"),
    ],
)
def test_a_link_is_shown_with_what_the_page_is_about(client, four, path, title, text):
    page = client.get(path).content.decode()
    assert f'<meta property="og:title" content="{title}">' in page
    assert f'<meta property="og:description" content="{text}' in page


def test_a_link_to_a_match_is_shown_with_the_names_of_its_bots(client, four):
    page = client.get(play(four).get_absolute_url()).content.decode()
    assert "<title>Rita – Sue – Tom – Una · Match" in page
    assert '<meta property="og:title" content="Rita – Sue – Tom – Una">' in page
    [picture] = re.findall(r'<meta property="og:image" content="http://[^/"]+(/[^"]+)">', page)
    assert fetch(client, picture)[0].startswith(b"\x89PNG")
