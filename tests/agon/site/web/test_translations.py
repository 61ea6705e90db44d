"""The site in Japanese and Russian: nothing is left in English, nothing is lost in translation."""

import gettext
import importlib
import random
import re
from pathlib import Path

import pytest
from django.test import Client
from django.utils import translation

from agon.site.accounts.models import User
from agon.site.audit.verbs import Verb
from agon.site.comparisons.states import State as ComparisonState
from agon.site.competitions.models import Competition
from agon.site.matches import transcript
from agon.site.tournaments.states import State as TournamentState
from agon.site.web.templatetags import pages
from agon.site.web.templatetags.pages import of_bots
from games.core.compliance.scripted import play
from games.core.manifest import all_games, load
from games.core.match_log import MatchLog
from games.core.record import SeatInfo
from scripts import messages

LETTERS = {"ja": re.compile("[\u3041-\u30ff\u4e00-\u9fff]"), "ru": re.compile("[\u0400-\u04ff]")}
# What a translation takes over as it is: places for values, tags, programs' and files' names.
KEPT = re.compile(r"%\(\w+\)[\d.]*\w|</?\w[^>]*>|\.\w+\b|\bagon verify\b")
# What docs/reference/glossary.md rules out: half-width marks and odd blanks in Japanese, blanks that break in
# Russian.
_JAPANESE = "[\u3040-\u30ff\u4e00-\u9fff]"
MISTAKES = {
    "ja": re.compile(f"{_JAPANESE}[(?!]|[0-9] {_JAPANESE}|{_JAPANESE} [0-9]"),
    "ru": re.compile(r" —| %%|[ds] (?:мкс|мс|с|мин|ч|КиБ|МиБ|байт)\b|\""),
}
UNIT = re.compile(r"%\(n\)s ([KM]iB|B|%%)")  # signs that languages share

Texts = dict[object, str]  # as gettext keeps them: by text, or (text, number) of a plural; "" is the header


def read(mo: Path) -> Texts:
    with mo.open("rb") as file:
        return {key: text for key, text in gettext.GNUTranslations(file)._catalog.items() if key}


@pytest.fixture(
    params=[(component, language) for component in messages.components() for language in component.languages],
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
    component = next(
        candidate for candidate in messages.components() if po.is_relative_to(candidate.folder / "locale")
    )
    template, english = messages.extract(component, tmp_path), tmp_path / "english.po"
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
    texts = {key: translated for key, translated in catalog.items() if not UNIT.fullmatch(text_of(key))}
    assert [key for key, translated in texts.items() if not letters.search(translated)] == []


def test_translations_keep_to_the_typography_of_the_language(po, catalog) -> None:
    mistakes = MISTAKES[po.parent.parent.name]
    assert [text for key, text in catalog.items() if mistakes.search(text) and '"' not in text_of(key)] == []


def text_of(key: object) -> str:
    """The English text, of a plural its first form, without the context that Django puts before \\x04."""
    text = key[0] if isinstance(key, tuple) else key
    return str(text).rpartition("\x04")[2]


@pytest.mark.parametrize(
    ("language", "count", "words"),
    [
        ("en", 1, "1 bot"),
        ("en", 2, "2 bots"),
        ("ja", 1, "ボット1体"),
        ("ja", 5, "ボット5体"),
        ("ru", 1, "1\xa0бот"),
        ("ru", 3, "3\xa0бота"),
        ("ru", 5, "5\xa0ботов"),
        ("ru", 11, "11\xa0ботов"),
        ("ru", 21, "21\xa0бот"),
    ],
)
def test_numbers_of_things_take_the_form_of_the_language(language, count, words) -> None:
    with translation.override(language):
        assert of_bots(count) == words


@pytest.mark.parametrize(
    ("filter", "value", "english", "japanese", "russian"),
    [
        (pages.duration, 0.31, "310 ms", "310ミリ秒", "310\xa0мс"),
        (pages.duration, 2.44, "2.4 s", "2.4秒", "2,4\xa0с"),
        (pages.duration, 7500, "2 h 5 min", "2時間5分", "2\xa0ч 5\xa0мин"),
        (pages.milliseconds, 1500, "1.5 s", "1.5秒", "1,5\xa0с"),
        (pages.milliseconds, 2000, "2 s", "2秒", "2\xa0с"),
        (pages.microseconds, 85, "85 µs", "85マイクロ秒", "85\xa0мкс"),
        (pages.microseconds, 2400, "2.4 ms", "2.4ミリ秒", "2,4\xa0мс"),
        (pages.mib, 10 << 20, "10 MiB", "10 MiB", "10\xa0МиБ"),
        (pages.mib, 512 << 10, "512 KiB", "512 KiB", "512\xa0КиБ"),
        (pages.mib, 900, "900 B", "900 B", "900\xa0Б"),
        (pages.percent, 0.5, "50 %", "50%", "50\xa0%"),
        (pages.signed, -0.12, "−12 %", "−12%", "−12\xa0%"),
        (pages.signed, 0.04, "+4 %", "+4%", "+4\xa0%"),
    ],
)
def test_numbers_and_units_are_written_as_in_the_language(filter, value, english, japanese, russian) -> None:
    shown = []
    for language in ("en", "ja", "ru"):
        with translation.override(language):
            shown.append(filter(value))
    assert shown == [english, japanese, russian]


def test_a_state_agrees_with_what_it_is_the_state_of() -> None:
    """A tournament is masculine in Russian, a comparison is neuter; an act is named by a noun."""
    with translation.override("ru"):
        shown = [
            str(choice.label)
            for choice in (TournamentState.CANCELLED, ComparisonState.CANCELLED, Verb.CANCEL)
        ]
    assert shown == ["отменён", "отменено", "отмена"]


def random_match(game: str, seed: int) -> MatchLog:
    info, checks = load(game), importlib.import_module(f"games.{game}.checks")
    players = [checks.player(random.Random(seed + seat)) for seat in range(info.min_seats)]
    driver = play(info, players, seed)
    return driver.log([SeatInfo(f"bot {seat}", "") for seat in range(info.min_seats)], "", 0.0)


@pytest.mark.parametrize("game", [info.slug for info in all_games() if transcript.has_story(info.slug)])
def test_matches_are_told_in_the_language(game, language) -> None:
    with translation.override(language):
        told = [scene for seed in range(20) for scene in transcript.story(random_match(game, seed)) or []]
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
        ("ja", "/c/coup/", ["リーダーボード", "順位の付いたボットはまだありません"]),
        ("ru", "/c/coup/", ["Таблица лидеров", "Мест пока ни у кого нет"]),
        ("ja", "/c/coup/submit/", ["ボット名", "使えるファイル", "<code>compile.sh</code> と"]),
        ("ru", "/c/coup/submit/", ["Имя бота", "Какие файлы принимаются", "<code>compile.sh</code> и"]),
        ("ja", "/c/coup/rules/", ["見本のボット", "出発点になる、ルールどおりに動く短い Python のボット"]),
        ("ru", "/c/coup/rules/", ["Боты-заготовки", "Короткая программа на Python"]),
        ("ja", "/c/coup/tournaments/", ["まだ大会はありません"]),
        ("ru", "/c/coup/tournaments/", ["Турниров пока нет"]),
        ("ja", "/accounts/signup/", ["すでにアカウントをお持ちですか？", "ユーザー名", "パスワード"]),
        ("ru", "/accounts/signup/", ["Уже есть учётная запись?", "Имя пользователя", "Пароль"]),
        ("ja", "/nowhere/", ["ページが見つかりません"]),
        ("ru", "/nowhere/", ["Страница не найдена"]),
    ],
)
def test_pages_speak_the_language_of_the_browser(coup, client: Client, language, address, words) -> None:
    page = client.get(address, headers={"accept-language": f"{language},en;q=0.5"}).content.decode()
    assert f'<html lang="{language}"' in page
    assert [word for word in words if word not in page] == []


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
