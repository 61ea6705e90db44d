"""Source on pages: highlighted, compared, bounded, and shown to nobody else."""

import re
import subprocess
import time
from html import unescape

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from agon.site.accounts.models import User
from agon.site.bots.states import State
from agon.site.web.bots.code import LONGEST_LINE, MOST_BYTES, MOST_LINES, MOST_SHOWN, compared, highlighted
from tests.support.factories import submit

FIRST = b"import sys\n\n\ndef move(view):\n    return 'R'  # always\n"
SECOND = b"import sys\n\n\ndef move(view):\n    return 'P'  # always\n"


def plain(lines) -> str:
    return "\n".join(unescape(re.sub(r"<[^>]*>", "", line)) for line in lines)


@given(st.text(st.characters(exclude_characters="\r", exclude_categories=["Cc", "Cs"]) | st.just("\n")))
def test_highlighting_changes_no_text_and_escapes_all_of_it(text):
    [file] = highlighted([("bot.py", text.encode())])
    assert plain(file.lines) == unescape(plain(file.lines))  # nothing is escaped twice
    shown = plain(file.lines)
    bidi = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    expected = "".join(
        character.encode("unicode_escape").decode() if character in bidi else character for character in text
    )
    assert shown == unescape(expected.removesuffix("\n")) or shown == expected.removesuffix("\n")


def test_words_strings_and_comments_are_told_apart():
    [file] = highlighted([("bot.py", FIRST)])
    assert file.lines[3] == '<span class="k">def</span> <span class="f">move</span>(view):'
    assert '<span class="s">&#x27;R&#x27;</span>' in file.lines[4]
    assert '<span class="c"># always</span>' in file.lines[4]


def test_what_is_binary_or_too_large_is_only_named():
    files = [("a.bin", b"\0\1"), ("b.txt", b"\xff"), ("c.txt", b"x" * (MOST_BYTES + 1)), ("d.txt", b"<b>")]
    assert [(file.path, file.lines) for file in highlighted(files)] == [
        *((name, None) for name, _ in files[:3]),
        ("d.txt", ["&lt;b&gt;"]),
    ]


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "data",
    [
        b"'" * LONGEST_LINE,
        b"\n".join([b"f'{" * 300] * 70),
        b'"""' * 20_000,
        b"\\\n" * 30_000,
        b"(" * MOST_BYTES,
        b"a b" * 20_000,
    ],
)
def test_no_text_takes_long_to_highlight(data):
    began = time.process_time()
    highlighted([("bot.py", data)])
    assert time.process_time() - began < 5


@pytest.mark.parametrize("path", ["a.ezt", "README.md"])
def test_no_language_takes_long_to_highlight(path):
    """The lexer of Easytrieve takes hours for this; that of Markdown would call it."""
    data = b"```easytrieve\n" + (b"\t" * (LONGEST_LINE - 1) + b"\n") * 2 + b"```\n"
    began = time.process_time()
    highlighted([(path, data)])
    assert time.process_time() - began < 5


def test_a_difference_shows_both_lines_and_those_around_them():
    [file] = compared([("bot.py", FIRST), ("same", b"1")], [("bot.py", SECOND), ("same", b"1")])
    assert (file.path, file.change) == ("bot.py", "changed")
    assert [(line.sign, line.text) for line in file.lines if line.sign in "+-"] == [
        ("-", "    return 'R'  # always"),
        ("+", "    return 'P'  # always"),
    ]
    assert file.lines[0].sign == "@"


def test_files_that_came_and_went_are_named():
    files = compared([("old.py", b"1\n")], [("new.py", b"2\n"), ("x.bin", b"\0")])
    assert [(file.path, file.change, file.lines is None) for file in files] == [
        ("new.py", "added", False),
        ("old.py", "removed", False),
        ("x.bin", "added", True),
    ]


TEXTS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12).map("\n".join)


@given(TEXTS, TEXTS)
def test_a_difference_turns_the_one_into_the_other(old, new):
    files = compared([("f", old.encode())], [("f", new.encode())])
    assert bool(files) == (old != new)
    for file in files:
        assert len([line for line in file.lines if line.sign == "+"]) - len(
            [line for line in file.lines if line.sign == "-"]
        ) == len(new.split("\n") if new else []) - len(old.split("\n") if old else [])


def test_no_two_texts_take_long_to_compare():
    old = "\n".join(str(number % 199) for number in range(MOST_LINES))
    new = "\n".join(str(number * 7 % 199) for number in range(MOST_LINES))
    began = time.process_time()
    assert compared([("f", old.encode())], [("f", new.encode())])[0].lines
    assert time.process_time() - began < 10
    assert compared([("f", b"")], [("f", b"\n" * MOST_LINES)])[0].lines is None


@pytest.mark.exhaustive
def test_many_files_take_no_longer_than_one():
    old = "\n".join(str(number % 199) for number in range(MOST_LINES)).encode()
    new = "\n".join(str(number * 7 % 199) for number in range(MOST_LINES)).encode()
    names = [f"{number}.txt" for number in range(100)]
    began = time.process_time()
    files = compared([(name, old) for name in names], [(name, new) for name in names])
    assert time.process_time() - began < 5
    assert [file.path for file in files] == sorted(names)
    assert files[-1].lines is None


def test_a_page_of_differences_is_bounded_whatever_the_number_of_files():
    names = [f"{number}.txt" for number in range(20)]
    files = compared([], [(name, b"x" * 100_000) for name in names])
    assert sum(file.lines is not None for file in files) == MOST_SHOWN // 100_000
    assert {file.change for file in files} == {"added"}


def test_a_difference_is_written_as_diff_does(tmp_path):
    old = b"".join(b"%d\n" % number for number in range(40))
    new = b"".join(b"%d\n" % number for number in range(3, 40) if number != 20)
    (tmp_path / "old").write_bytes(old)
    (tmp_path / "new").write_bytes(new)
    done = subprocess.run(["diff", "-u", "old", "new"], cwd=tmp_path, capture_output=True, text=True)
    [file] = compared([("f", old)], [("f", new)])
    shown = [line.text if line.sign == "@" else line.sign + line.text for line in file.lines]
    assert [line for line in shown if line != " "] == done.stdout.splitlines()[2:]


@pytest.fixture
def versions(user, competition):
    """Two versions of ada's bot, and one of another bot of ada's."""
    submissions = []
    for name, source in (("Ada", FIRST), ("Ada", SECOND), ("Other", b"secret = 1\n")):
        submission = submit(user, competition, name, State.REPLACED)
        submission.pasted, submission.language, submission.filename = True, "python", "bot.py"
        submission.source.save("", ContentFile(source))
        submission.save()
        submissions.append(submission)
    return submissions


def browser_of(somebody):
    client = Client()
    client.force_login(somebody)
    return client


@pytest.mark.django_db
def test_the_owner_reads_the_source_and_what_a_version_changed(user, versions):
    first, second, _ = versions
    page = browser_of(user).get(f"/submissions/{second.pk}/code/").content.decode()
    assert '<span class="f">move</span>' in page
    changes = browser_of(user).get(f"/submissions/{second.pk}/diff/").content.decode()
    assert "Changes from version 1 to version 2" in changes
    assert "<del>-    return &#x27;R&#x27;" in changes
    assert "<ins>+    return &#x27;P&#x27;" in changes
    back = browser_of(user).get(f"/submissions/{first.pk}/diff/?from=2").content.decode()
    assert "Changes from version 2 to version 1" in back


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["code/", "diff/", "diff/?from=1"])
def test_nobody_else_sees_any_of_it(versions, page):
    browsers = [Client(), browser_of(User.objects.create_user("eve", is_staff=True))]
    for version in versions:
        for browser in browsers:
            answer = browser.get(f"/submissions/{version.pk}/{page}")
            assert answer.status_code == 404
            assert "return" not in answer.content.decode().replace("return to", "")


@pytest.mark.django_db
def test_no_version_of_another_bot_is_compared(user, versions):
    _, second, foreign = versions
    page = browser_of(user).get(f"/submissions/{second.pk}/diff/?from={foreign.number + 5}").content.decode()
    assert "secret" not in page
    assert browser_of(user).get(f"/submissions/{foreign.pk}/diff/?from=2").status_code == 404


@pytest.mark.django_db
def test_an_erased_source_is_not_there(user, versions):
    first, second, _ = versions
    first.source.delete()
    assert browser_of(user).get(f"/submissions/{first.pk}/code/").status_code == 404
    assert browser_of(user).get(f"/submissions/{second.pk}/diff/?from=1").status_code == 404
