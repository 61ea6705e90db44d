"""What a site says about itself: its name, an imprint, a privacy text."""

import pytest

from tests.support.factories import activate

HOSTILE = "# Who we are\n\n<script>alert(1)</script> [x](javascript:alert(1)) **bold** \u202e\n"


@pytest.fixture
def texts(settings, tmp_path, db):
    settings.VAR = tmp_path
    (tmp_path / "texts").mkdir()
    return tmp_path / "texts"


def test_a_site_has_the_name_that_it_was_given(settings, client, user, competition):
    settings.SITE_NAME = "Arena & <Sons>"
    activate(user, competition, ["a"])
    page = client.get("/c/samurai/").content.decode()
    assert "· Arena &amp; &lt;Sons&gt;</title>" in page
    assert "<span>Arena &amp; &lt;Sons&gt;</span>" in page
    assert client.get("/site.webmanifest").json()["short_name"] == "Arena & <Sons>"


def test_pages_link_to_texts_that_are_there(texts, client):
    assert 'href="/imprint/"' not in client.get("/docs/").content.decode()
    assert client.get("/imprint/").status_code == client.get("/privacy/").status_code == 404
    (texts / "imprint.md").write_text(HOSTILE)
    assert 'href="/imprint/"' in client.get("/docs/").content.decode()
    page = client.get("/imprint/").content.decode()
    assert page.count("<h1") == 1
    assert "<strong>bold</strong>" in page
    assert "<script>alert" not in page
    assert 'href="javascript' not in page


def test_a_text_is_shown_in_the_readers_language_as_it_is_now_and_if_it_is_no_utf_8(texts, client):
    (texts / "privacy.md").write_text("we keep little")
    (texts / "privacy.ja.md").write_text("最小限")
    assert "最小限" in client.get("/privacy/", headers={"accept-language": "ja"}).content.decode()
    page = client.get("/privacy/", headers={"accept-language": "ru"}).content.decode()
    assert "we keep little" in page
    assert page.count("<h1") == 1
    (texts / "privacy.md").write_bytes(b"we keep \xff nothing")
    assert "we keep \ufffd nothing" in client.get("/privacy/").content.decode()
