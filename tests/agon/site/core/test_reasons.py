"""Reasons are a code with values, and every code has a sentence in every language."""

import ast
from pathlib import Path

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from agon.advice import reasons
from agon.site.core.texts.reasons import TEXTS, StoredReason, describe
from games.core.manifest import all_games, referee
from games.core.reason import Reason

ROOT = Path(__file__).parents[3]
OF_GAMES = {f"{info.slug}.{code}" for info in all_games() for code in referee(info).reasons}
CODES = sorted({*TEXTS, *reasons.TEXTS, *OF_GAMES})

codes = st.sampled_from(CODES) | st.text(max_size=20)
texts = st.text(max_size=40)
values = texts | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
names = st.sampled_from(["line", "step", "why", "reason", "error", "most", "seconds", "file"])
parts = st.recursive(
    values, lambda inner: st.builds(Reason, codes, st.dictionaries(names, inner, max_size=4)), max_leaves=8
)
any_reason = st.builds(Reason, codes, st.dictionaries(names, parts, max_size=6))

SHOWN = {
    Reason("exited", status=1): ("終了コード1で終了しました", "завершился с кодом 1"),
    Reason("too_many_files", upload="a.zip", most=5000): (
        "a.zip には5,000個を超えるファイルがあります。5,000個までです",
        "в a.zip больше 5\xa0000\xa0файлов: допустимо не больше 5\xa0000",
    ),
    Reason(
        "at",
        position=Reason("samurai.night", turn=5),
        reason=Reason("unfinished_line", reason=Reason("answer_too_slow", seconds=0.5), line="'ab'"),
    ): (
        "ターン5、夜: 0.5秒以内に応答しませんでした（改行のない'ab'だけを受け取りました）",
        "ход 5, ночь: не ответил за 0,5\xa0с; получено 'ab' без перевода строки",
    ),
}


@pytest.mark.parametrize("reason", SHOWN, ids=lambda reason: reason.code)
@pytest.mark.parametrize(("language", "number"), [("ja", 0), ("ru", 1)])
def test_a_reason_is_shown_with_its_values_in_the_language_of_the_page(language, number, reason):
    with override(language):
        assert describe(reason) == SHOWN[reason][number]


@given(any_reason)
def test_any_code_with_any_values_is_shown_in_every_language(reason):
    for language in ("en", "ja", "ru"):
        with override(language):
            assert describe(reason) or not reason
            assert "\x1b" not in describe(reason)
    assert Reason.from_data(reason.to_data()) == reason


def test_numbers_have_separators_but_those_of_lines_have_none():
    assert describe(Reason("no_colon", line=1234)).startswith("Line 1234: ")
    shown = describe(Reason("site_full", used=1048576.5, most=2097152))
    assert "they use 1,048,576.5 of 2097152 MiB" in shown


def test_an_unknown_code_is_shown_with_its_values():
    assert str(StoredReason("of_a_lost_game", number=3)) == "of_a_lost_game (number: 3)"


def test_what_a_bot_wrote_stays_as_it_is():
    with override("ru"):
        shown = describe(Reason("got_text", text="'its match is over' %(line)s"))
    assert "'its match is over' %(line)s" in shown


def written_codes() -> set[str]:
    """The codes that are written in the sources where reasons are made."""
    makers = {"Reason", "StoredReason", "BadUpload", "refuse"}
    written = set()
    for part in ("sandbox", "platform", "games/core"):
        for path in (ROOT / part).rglob("*.py"):
            if {"skeleton", "migrations", "compliance"} & set(path.parts):
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in makers and node.args:
                    given_code = node.args[0]
                    if isinstance(given_code, ast.Constant) and given_code.value:
                        written.add(given_code.value)
    return written


def test_every_code_that_is_made_has_a_sentence():
    assert written_codes() - set(CODES) == set()


def test_no_code_has_two_sentences():
    assert set(TEXTS) & set(reasons.TEXTS) == set()
