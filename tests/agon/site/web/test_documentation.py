"""The documentation on the site: every page of `docs/`, in the reader's language where it is translated."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from agon.site.competitions.models import Competition
from tests.support.crawling import crawled

DOCS = Path(__file__).resolve().parents[4] / "docs"
TRANSLATED = {"ja": "参戦する", "ru": "Участвовать"}

pytestmark = pytest.mark.django_db


def page(client: Client, address: str, language: str = "en") -> str:
    response = client.get(address, headers={"accept-language": language})
    assert response.status_code == 200
    return str(response.content.decode())


def article(html: str) -> str:
    return html.partition("<article")[2].partition("</article>")[0]


def side(html: str) -> str:
    return html.partition("<aside>")[2].partition("</aside>")[0]


@pytest.fixture(scope="module")
def every_page(django_db_setup, django_db_blocker) -> dict[str, str]:
    """The pages that links lead to from the index, by address."""
    with django_db_blocker.unblock():
        answers = crawled(Client(), ["/docs/"], skipped=re.compile(r"^/(?!docs/)|/images/"))
    return {address: body.decode() for address, body in answers.items()}


def test_links_lead_to_every_file_of_docs(every_page) -> None:
    files = {str(path.relative_to(DOCS))[:-3] for path in DOCS.rglob("*.md") if "." not in path.stem}
    kept_apart = {"README", "plan"}  # the index is /docs/ itself
    assert {f"/docs/{name}/" for name in files - kept_apart} | {"/docs/"} == every_page.keys()
    assert [address for address, text in every_page.items() if not text.startswith("200 ")] == []


def test_no_link_leads_to_a_file_or_a_missing_heading(every_page) -> None:
    for address, html in every_page.items():
        ids = {where: set(re.findall(r'id="([^"]+)"', text)) for where, text in every_page.items()}
        for link in map(unescape, re.findall(r'<a [^>]*href="([^"]+)"', article(html))):
            path, _, anchor = link.partition("#")
            assert not path or path.startswith(("/docs/", "https://")), (address, link)
            assert not anchor or anchor in ids[path or address], (address, link)


def test_marks_of_generated_parts_are_not_shown(every_page) -> None:
    assert [address for address, html in every_page.items() if "&lt;!--" in article(html)] == []


def test_every_page_has_its_headings_at_the_side(client) -> None:
    html = page(client, "/docs/guides/compete/")
    headings = re.findall(r'<h2 id="([^"]+)">', article(html))
    assert "read-the-rules" in headings
    assert re.findall(r'href="#([^"]+)"', side(html)) == headings
    assert 'href="/docs/guides/compete/" aria-current="page"' in side(html)


def test_pages_follow_each_other_in_the_order_of_the_index(client) -> None:
    html = page(client, "/docs/guides/organize/")
    assert '<a rel="prev" href="/docs/guides/connect/">' in html
    assert '<a rel="next" href="/docs/guides/api/">' in html
    assert 'rel="prev"' not in page(client, "/docs/guides/compete/")


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_guide_for_competitors_is_in_the_readers_language(client, language) -> None:
    html = page(client, "/docs/guides/compete/", language)
    assert f'<article class="prose" lang="{language}">' in html
    assert TRANSLATED[language] in side(html)
    assert "/docs/reference/languages/" in article(html)


@pytest.mark.parametrize("language", TRANSLATED)
def test_what_is_not_translated_is_in_english(client, language) -> None:
    html = page(client, "/docs/guides/operate/", language)
    assert '<article class="prose" lang="en">' in html
    assert f'<html lang="{language}"' in html


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_index_lists_the_same_pages_in_every_language(client, language) -> None:
    listed = [
        re.findall(r'href="(/docs/[^"#]+)"', side(page(client, "/docs/", chosen)))
        for chosen in ("en", language)
    ]
    assert listed[0] == listed[1]


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_have_the_parts_of_the_english_guide(language) -> None:
    english, translation = (
        (DOCS / "guides" / f"compete{suffix}.md").read_text() for suffix in ("", f".{language}")
    )
    for parts in (r"^#+ ", r"^\d+\. ", r"^- ", r"^\| ", r"^```\w*\n(?:\.venv|build)"):
        assert len(re.findall(parts, english, re.MULTILINE)) == len(
            re.findall(parts, translation, re.MULTILINE)
        )


@pytest.mark.parametrize(
    "address",
    [
        "/docs/nowhere/",
        "/docs/guides/compete.ja/",
        "/docs/plan/",
        "/docs/../README/",
        "/docs/README/",
        "/docs/images/../plan/",
        "/docs/images/nothing.png",
    ],
)
def test_nothing_else_is_shown(client, address) -> None:
    assert client.get(address).status_code == 404


def test_images_are_shown(client) -> None:
    response = client.get("/docs/images/home.png")
    assert response.headers["Content-Type"] == "image/png"
    assert response.content == (DOCS / "images" / "home.png").read_bytes()


def test_rules_pages_and_every_footer_lead_to_the_documentation(client) -> None:
    Competition.objects.create(slug="c", game="coup", title="Coup")
    html = page(client, "/c/c/rules/")
    assert 'href="/docs/guides/compete/"' in html
    assert 'href="/docs/"' in html.partition("<footer")[2]


def test_programs_find_every_page_as_markdown_from_llms_txt(client, every_page, settings) -> None:
    settings.SITE_URL = "https://agon.example"
    response = client.get("/llms.txt", headers={"accept-language": "ja"})
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    links = re.findall(r"\]\(https://agon\.example(/docs/[^)]+\.md)\)", response.content.decode())
    assert {link.removesuffix(".md") + "/" for link in links} | {"/docs/"} == every_page.keys()
    for link in links:
        answer = client.get(link)
        assert answer["Content-Type"] == "text/markdown; charset=utf-8"
        assert answer.content.decode().startswith("# ")


@pytest.mark.parametrize("name", ["plan", "../README", "guides/compete.ja", "guides/nothing"])
def test_only_pages_of_the_contents_are_there_as_markdown(client, name) -> None:
    assert client.get(f"/docs/{name}.md").status_code == 404
