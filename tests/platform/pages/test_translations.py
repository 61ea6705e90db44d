"""The site in Japanese and Russian: nothing is left in English, nothing is lost in translation."""

import gettext
import importlib
import random
import re
from pathlib import Path

import pytest
from django.test import Client
from django.utils import translation

from accounts.models import User
from competitions.models import Competition
from competitions.templatetags.pages import of_bots
from games.core.compliance.scripted import play
from games.core.manifest import all_games, load
from games.core.match_log import MatchLog
from games.core.record import SeatInfo
from matches import transcript
from scripts import messages

LETTERS = {"ja": re.compile("[\u3041-\u30ff\u4e00-\u9fff]"), "ru": re.compile("[\u0400-\u04ff]")}
# What a translation takes over as it is: places for values, tags, programs' and files' names.
KEPT = re.compile(r"%\(\w+\)[\d.]*\w|</?\w[^>]*>|\.\w+\b|\bagon verify\b")

Texts = dict[object, str]  # as gettext keeps them: by text, or (text, number) of a plural; "" is the header


def read(mo: Path) -> Texts:
    with mo.open("rb") as file:
        return {key: text for key, text in gettext.GNUTranslations(file)._catalog.items() if key}


@pytest.fixture(
    params=[(home, language) for home in messages.homes() for language in home.languages],
    ids=lambda spoken: f"{spoken[0].name}-{spoken[1]}",
)
def po(request: pytest.FixtureRequest) -> Path:
    """What translators write: of the site and of every game, in every language that it speaks."""
    home, language = request.param
    return home.catalog(language)


@pytest.fixture
def catalog(po: Path) -> Texts:
    """What Django reads."""
    return read(po.with_suffix(".mo"))


@pytest.fixture
def wanted(po: Path, tmp_path: Path) -> Texts:
    """Every text that is in the sources now, as its own translation."""
    home = next(home for home in messages.homes() if po.is_relative_to(home.folder / "locale"))
    template, english = messages.extract(home, tmp_path), tmp_path / "english.po"
    messages.merge(template, english, "en")  # for English gettext fills in the texts themselves
    messages.compile_catalog(english, english.with_suffix(".mo"))
    return read(english.with_suffix(".mo"))


@pytest.fixture(params=messages.LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return request.param


def plain(texts: Texts) -> set[object]:
    """The texts without the numbers of plural forms, of which languages have different ones."""
    return {key[0] if isinstance(key, tuple) else key for key in texts}


@pytest.mark.gettext
def test_every_text_of_the_sources_is_translated(wanted, catalog) -> None:
    """Missing ones: `make messages`, translate what it left empty in the .po files, then `make messages`."""
    assert plain(wanted) - plain(catalog) == set()


@pytest.mark.gettext
def test_nothing_is_translated_that_is_nowhere_in_the_sources(wanted, catalog) -> None:
    assert plain(catalog) - plain(wanted) == set()


@pytest.mark.gettext
def test_what_is_compiled_is_what_translators_wrote(po, catalog, tmp_path) -> None:
    messages.compile_catalog(po, tmp_path / "fresh.mo")
    assert read(tmp_path / "fresh.mo") == catalog


def test_no_translation_is_uncertain(po) -> None:
    assert "fuzzy" not in po.read_text(encoding="utf-8")


def test_translations_keep_places_tags_and_names(catalog) -> None:
    texts = {(text_of(key), translated) for key, translated in catalog.items()}
    lost = [pair for pair in texts if sorted(KEPT.findall(pair[0])) != sorted(KEPT.findall(pair[1]))]
    assert lost == []


def test_translations_are_written_in_the_letters_of_the_language(po, catalog) -> None:
    letters = LETTERS[po.parent.parent.name]
    assert [key for key, translated in catalog.items() if not letters.search(translated)] == []


def text_of(key: object) -> str:
    """The English text, of a plural its first form, without the context that Django puts before \\x04."""
    text = key[0] if isinstance(key, tuple) else key
    return str(text).rpartition("\x04")[2]


@pytest.mark.parametrize(
    ("language", "count", "words"),
    [
        ("en", 1, "1 bot"),
        ("en", 2, "2 bots"),
        ("ja", 1, "ボット 1 個"),
        ("ja", 5, "ボット 5 個"),
        ("ru", 1, "1 бот"),
        ("ru", 3, "3 бота"),
        ("ru", 5, "5 ботов"),
        ("ru", 11, "11 ботов"),
        ("ru", 21, "21 бот"),
    ],
)
def test_numbers_of_things_take_the_form_of_the_language(language, count, words) -> None:
    with translation.override(language):
        assert of_bots(count) == words


def random_match(game: str, seed: int) -> MatchLog:
    info, checks = load(game), importlib.import_module(f"games.{game}.checks")
    players = [checks.player(random.Random(seed + seat)) for seat in range(info.min_seats)]
    driver = play(info, players, seed)
    return driver.log([SeatInfo(f"bot {seat}", "") for seat in range(info.min_seats)], "", 0.0)


@pytest.mark.parametrize("game", [info.slug for info in all_games() if transcript.has_story(info.slug)])
def test_matches_are_told_in_the_language(game, language) -> None:
    with translation.override(language):
        told = [scene for seed in range(20) for scene in transcript.story(random_match(game, seed))]
    lines = {scene.title for scene in told} | {line.text for scene in told for line in scene.lines}
    assert {line for line in lines if not LETTERS[language].search(line)} == set()
    assert {line for line in lines if re.search("[A-Za-z]{2}", line)} == set()


@pytest.fixture
def coup(db) -> Competition:
    return Competition.objects.create(slug="coup", game="coup", title="Coup", summary=load("coup").summary)


@pytest.mark.parametrize(
    ("language", "address", "words"),
    [
        ("ja", "/", ["プログラムを書いて、戦わせよう。", "2つのプログラムが、1つの履歴ファイルに"]),
        ("ru", "/", ["Напишите программу. Пусть сражается.", "Две программы блефуют о своих картах"]),
        ("ja", "/c/coup/", ["リーダーボード", "まだ順位はありません"]),
        ("ru", "/c/coup/", ["Таблица лидеров", "В таблице пока никого нет"]),
        ("ja", "/c/coup/submit/", ["ボットの名前", "受け付けるファイル", "<code>compile.sh</code> と"]),
        ("ru", "/c/coup/submit/", ["Имя бота", "Какие файлы принимаются", "<code>compile.sh</code> и"]),
        ("ja", "/c/coup/rules/", ["見本のボット", "出発点になる、短くて合法なPythonのボット"]),
        ("ru", "/c/coup/rules/", ["Боты-заготовки", "Короткая программа на Python"]),
        ("ja", "/c/coup/tournaments/", ["まだ大会はありません"]),
        ("ru", "/c/coup/tournaments/", ["Турниров пока нет"]),
        ("ja", "/accounts/signup/", ["すでにアカウントをお持ちですか?", "ユーザー名", "パスワード"]),
        ("ru", "/accounts/signup/", ["Уже есть учётная запись?", "Имя пользователя", "Пароль"]),
        ("ja", "/nowhere/", ["ページが見つかりません"]),
        ("ru", "/nowhere/", ["Страница не найдена"]),
    ],
)
def test_pages_speak_the_language_of_the_browser(coup, client: Client, language, address, words) -> None:
    page = client.get(address, headers={"accept-language": f"{language},en;q=0.5"}).content.decode()
    assert f'<html lang="{language}"' in page
    assert [each for each in words if each not in page] == []


def test_a_reader_may_choose_another_language_than_the_browsers(coup, client: Client) -> None:
    client.post("/i18n/setlang/", {"language": "ru", "next": "/"})
    page = client.get("/c/coup/", headers={"accept-language": "ja"}).content.decode()
    assert "Таблица лидеров" in page


def test_mistakes_in_a_form_are_told_in_the_language_of_the_browser(coup, client: Client, language) -> None:
    words = {"ja": "ボットのファイルを選んでください。", "ru": "Выберите файл бота."}
    client.force_login(User.objects.create_user("ada"))
    page = client.post(
        "/c/coup/submit/", {"name": "Ada", "way": "file"}, headers={"accept-language": language}
    )
    assert words[language] in page.content.decode()
