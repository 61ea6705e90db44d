"""Reasons of faults, which records hold in English, are shown in the reader's language."""

import re

import pytest
from django.utils.translation import override, trans_real

from agon.site.core.texts.phrases import translated

CASES = {
    "round 3, throw: expected R, P or S, got 'X'": (
        "ラウンド3、手: R、P、S のいずれかが必要です。応答は'X'でした",
        "раунд 3, ход: нужно R, P или S; получено 'X'",
    ),
    "call 7: expected one of 'A' 'C\\n' appended to the history file, got nothing": (
        "呼び出し7: 履歴ファイルに'A' 'C\\n'のいずれかを追記してください。実際の追記: なし",
        "вызов 7: к файлу истории нужно дописать одно из 'A' 'C\\n', дописано: ничего",
    ),
    "turn 2: expected a camel from 0 to 4, got 9": (
        "ターン2: ラクダは0から4ですが、9でした",
        "ход 2: номер верблюда\xa0— от 0 до 4, указано 9",
    ),
    "turn 5, night: gave no answer within 0.5 s, got 'ab' without a newline": (
        "ターン5、夜: 0.5秒以内に応答しませんでした（改行のない'ab'だけを受け取りました）",
        "ход 5, ночь: не ответил за 0,5\xa0с; получено 'ab' без перевода строки",
    ),
    "exited with status 1: there is no php5 here, use php": (
        "終了コード1で終了しました: ここにphp5はありません。phpを使ってください",
        "завершился с кодом 1: php5 здесь нет, используйте php",
    ),
    "a.zip contains more than 5,000 files: expected at most 5,000": (
        "a.zip には5,000個を超えるファイルがあります。5,000個までです",
        "в a.zip больше 5\xa0000\xa0файлов: допустимо не больше 5\xa0000",
    ),
    "killed by signal 11 (SIGSEGV)": (
        "シグナル11（SIGSEGV）で強制終了されました",
        "завершён сигналом 11 (SIGSEGV)",
    ),
}


@pytest.mark.parametrize("sentence", CASES)
@pytest.mark.parametrize(("language", "number"), [("ja", 0), ("ru", 1)])
def test_a_reason_is_shown_with_its_values_in_the_language_of_the_page(language, number, sentence):
    with override(language):
        assert translated(sentence) == CASES[sentence][number]


@pytest.mark.parametrize("sentence", CASES)
def test_in_english_it_stays_as_it_is(sentence):
    with override("en"):
        assert translated(sentence) == sentence


@pytest.mark.parametrize("sentence", ["", ": ", "no such sentence: at all", "%(bot)s", "got", "a: b: c: d"])
def test_words_that_are_not_known_stay_as_they_are(sentence):
    with override("ja"):
        assert translated(sentence) == sentence


def test_what_a_bot_wrote_stays_as_it_is():
    with override("ru"):
        shown = translated("round 1, claim: expected R, P or S, got 'its match is over'")
    assert shown == "раунд 1, объявление: нужно R, P или S; получено 'its match is over'"


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        # Exceptions of bots, whose words are not in quotes.
        (
            "round 1, claim: expected R, P or S, but the function raised Oops: expected 1 or more, got 3",
            "раунд 1, объявление: нужно R, P или S; "
            "но результат функции: raised Oops: expected 1 or more, got 3",
        ),
        ("raised Oops: expected 1 or more, got x", "raised Oops: expected 1 or more, got x"),
        ("ValueError: expected 1 or more, got 3", "ValueError: expected 1 or more, got 3"),
        ("raised Oops: expected a, got %(got)r", "raised Oops: expected a, got %(got)r"),
        ("expected 1 or more, got 3", "нужно не меньше 1, указано 3"),
    ],
)
def test_a_number_of_a_sentence_is_a_number_or_it_is_another_sentence(sentence, shown):
    with override("ru"):
        assert translated(sentence) == shown


@pytest.mark.parametrize("value", ["x", "7"])
@pytest.mark.parametrize("language", ["ja", "ru"])
def test_a_bot_that_writes_a_sentence_of_ours_breaks_no_page(language, value):
    known = [text for text, _ in trans_real.translation(language)._catalog.items() if "%(" in text]
    with override(language):
        for text in known:
            forged = re.sub(r"%\(\w+\)\w", value, text)
            assert forged in translated(f"expected R, P or S, but the function raised Oops: {forged}")
            assert translated(forged)
