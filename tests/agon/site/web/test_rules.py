"""The rules pages of all games in three languages: limits from the manifest, bots to start from."""

import io
import re
import zipfile
from dataclasses import replace
from urllib.parse import unquote

import pytest
from django.core.cache import cache
from django.test import Client

from agon.site.bots.languages import OFFERED
from agon.site.competitions.models import Competition
from agon.site.web.competitions import rules as pages
from games.core.manifest import GameInfo, all_games, load, starters
from sandbox.languages import registry

CORE = {"python", "c", "cpp", "java", "javascript", "php", "ruby", "go"}
NOT_OFFERED = {
    "en": "not available on this site",
    "ja": "このサイトでは使えません",
    "ru": "не поддерживается на этом сайте",
}


@pytest.fixture(params=[info.slug for info in all_games()])
def info(request, db) -> GameInfo:
    game = load(request.param)
    Competition.objects.create(slug="c", game=game.slug, title=game.title)
    return game


def rules(client: Client, language: str = "en") -> str:
    page = client.get("/c/c/rules/", headers={"accept-language": language}).content.decode()
    assert f'<html lang="{language}"' in page
    return page


@pytest.mark.parametrize("language", NOT_OFFERED)
def test_the_page_is_in_the_readers_language_with_the_limits_in_force(client, info, language) -> None:
    page = rules(client, language)
    assert f'<article class="prose" lang="{language}">' in page
    assert "{{" not in page
    article = page.split("<article")[1].split("</article>")[0]
    assert re.search(rf"{info.limits.memory_mib}\s(MiB|МиБ)", article)


def test_the_original_contest_is_told_as_the_manifest_has_it(client, info) -> None:
    rounds = info.tournament.rounds
    assert f"· {rounds} round{'s' if rounds > 1 else ''} ·" in rules(client)


def test_there_is_a_bot_to_start_from_in_every_core_language(client, info) -> None:
    page = rules(client)
    assert {bot.language for bot in starters(info)} >= CORE
    for bot in starters(info):
        address = f"/c/c/rules/starters/{bot.name}"
        assert f'href="{address}"' in page
        answer = client.get(address)
        assert bot.path.name in unquote(answer.headers["Content-Disposition"])
        if bot.path.is_file():
            assert answer.content == bot.path.read_bytes()
        else:
            names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
            assert names == [str(path.relative_to(bot.path)) for path in sorted(bot.path.rglob("*"))]


@pytest.mark.parametrize("language", NOT_OFFERED)
def test_what_this_site_does_not_offer_comes_last_with_a_note(client, info, language) -> None:
    cache.set(OFFERED, ["python", "java"])
    groups = rules(client, language).split('<ul class="starters">')[1].split("</ul>")[0].split("<li>")[1:]
    titles = [registry.get(slug).title for slug in ("python", "java")]
    assert [title in group for title, group in zip(titles, groups, strict=False)] == [True, True]
    assert [NOT_OFFERED[language] in group for group in groups] == [False] * 2 + [True] * (len(groups) - 2)


def test_the_limits_stand_where_the_manifest_says_them(client, info, monkeypatch) -> None:
    """Nothing about a limit is typed: with another manifest it is another page."""
    changed = replace(info, limits=replace(info.limits, turn_ms=7_654_000, memory_mib=98765))
    monkeypatch.setattr(pages, "load", lambda slug: changed)
    pages._render.cache_clear()
    try:
        page = rules(client)
    finally:
        pages._render.cache_clear()
    article = page.split("<article")[1].split("</article>")[0]
    assert "7654 s" in article
    assert "98765 MiB" in article
    assert f"{info.limits.memory_mib} MiB" not in article
