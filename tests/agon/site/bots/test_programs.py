"""Uploads that differ in comments, layout and notes only are the same program to ratings."""

import time
import tracemalloc

import pytest

from agon.site.bots.programs import MOST_TOKENIZED, SYNTAX, program_of
from sandbox.languages.registry import extensions
from sandbox.source import Source, SourceFile


def program(*files):
    encoded = [(path, text.encode() if isinstance(text, str) else text) for path, text in files]
    return program_of(Source("bot.zip", tuple(SourceFile(path, data, False) for path, data in encoded)))


PYTHON = "import sys\n\ndef move(a):\n    if a:\n        return 1\n    return 'a # b'\n"


@pytest.mark.parametrize(
    "changed",
    [
        "# seed 17\n" + PYTHON,
        PYTHON.replace("import sys\n", "import sys  # the system\n\n\n"),
        PYTHON.replace("def move(a):\n", 'def move(a):\n    """Moves 17."""\n'),
        '"""Version 12."""\n' + PYTHON,
        PYTHON.replace("    ", "\t"),
        PYTHON.replace("move(a)", "move( a )"),
        PYTHON.replace("\n", "\r\n"),
        "\ufeff" + PYTHON,
        PYTHON + "'''a string alone'''\n",
        "# " + "x" * 300_000 + "\n" + PYTHON,
        PYTHON + "    \n\n# the end",
    ],
)
def test_a_python_program_is_the_same_with_other_comments_and_layout(changed):
    assert program(("bot.py", changed)) == program(("bot.py", PYTHON))


@pytest.mark.parametrize(
    "changed",
    [
        PYTHON.replace("'a # b'", "'a # c'"),
        PYTHON.replace("return 1", "return 2"),
        PYTHON.replace("    return 'a", "        return 'a"),
        PYTHON.replace("move", "play"),
    ],
)
def test_a_python_program_that_says_something_else_is_another(changed):
    assert program(("bot.py", changed)) != program(("bot.py", PYTHON))


COMMENTED = {
    "# {}\n": ".sh .bash .php .py .r .rb .pl",
    "// {}\n": ".c .cpp .cc .cxx .c++ .cs .d .go .java .js .mjs .cjs .ts .rs .php .pas .pp",
    "/* {} */": ".c .cpp .cc .cxx .c++ .cs .d .go .java .js .mjs .cjs .ts .rs .php",
    "/+ {} +/": ".d",
    "! {}\n": ".f90 .f95 .f03 .f08",
    "-- {}\n": ".hs .lua",
    "{{- {} -}}": ".hs",
    "--[[ {}\n ]]": ".lua",
    "(* {} *)": ".ml .pas .pp",
    "{{ {} }}": ".pas .pp",
    "; {}\n": ".lisp .lsp .rkt",
    "#| {}\n |#": ".lisp .lsp .rkt",
    "\n=begin\n{}\n=end\n": ".rb",
    "\n=pod\n{}\n=cut\n": ".pl",
}
CASES = [(extension, comment) for comment, named in COMMENTED.items() for extension in named.split()]


@pytest.mark.parametrize(("extension", "comment"), CASES)
def test_comments_do_not_count_in_any_language(extension, comment):
    quote = "'" if extension in (".pas", ".pp") else '"'
    signs = comment.replace("{{", "{").split("{}")[0].strip()
    before, after = f"a = {quote}{signs} 1{quote}\n", "\nb = 2\n"
    words = ("", "one", "it's \"two", "3\t3")
    same = {program((f"bot{extension}", before + comment.format(word) + after)) for word in words}
    assert same == {program((f"bot{extension}", before + after))}
    assert program((f"bot{extension}", before + comment.format("") + "\nb = 3\n")) not in same
    assert program((f"bot{extension}", before.replace("1", "4") + comment.format("") + after)) not in same


def test_every_language_has_its_comments():
    assert {*extensions()} <= SYNTAX.keys()
    assert {*extensions()} == {extension for extension, _ in CASES}


def test_names_and_order_of_files_and_notes_do_not_count():
    both = program(("bot.py", "import b\n"), ("b.py", "x = 1\n"))
    assert program(("main.py", "x = 1\n"), ("z.py", "import b\n")) == both
    notes = [("README.txt", "17"), ("notes.md", "17"), ("empty.py", "# 17\n")]
    assert program(("bot.py", "import b\n"), ("b.py", "x = 1\n"), *notes) == both


def test_data_counts():
    first, second = (program(("bot.py", "x = 1\n"), ("book.bin", data)) for data in (b"\0\1", b"\0\2"))
    assert first != second


ENDLESS = ["'", '"\\', "'\\", "/*", "(", "[[", "\n=begin", '"""', "`", "{-", "#|", "x.", "'\\'\n", " "]


@pytest.mark.first(6)
@pytest.mark.parametrize("extension", sorted(SYNTAX))
def test_the_time_grows_with_the_text_and_no_faster(extension):
    for part in ENDLESS:
        text = part * (50_000 // len(part))
        began = time.process_time()
        program((f"bot{extension}", text))
        assert time.process_time() - began < 1, part


LARGE = {
    "string": '"' + "a" * 300_000,
    "thrice": '"""' + "a'" * 150_000,
    "backticks": "`" + r"\a" * 150_000,
    "words": "ab " * 100_000,
    "strings": r"'\''" * 75_000,
}


@pytest.mark.parametrize("extension", [".py", ".js"])
@pytest.mark.parametrize("kind", LARGE)
def test_the_memory_is_that_of_the_text_and_little_more(kind, extension):
    """An upload of 64 MiB took more than 8 GiB, which ended its builder again and again."""
    text = LARGE[kind]
    tracemalloc.start()
    try:
        program((f"bot{extension}", text))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 10 * len(text) + (60 * MOST_TOKENIZED if extension == ".py" else 0)


@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_a_string_in_three_quotes_ends_only_there(quotes):
    """In a file that is no Python, too, which the tokenizer does not read."""
    one = quotes[0]
    for start in (f"a{one} ", f"a{one}{one} ", rf"\{one}{one}{one} ", rf"a\\{one} ", f"{one}a{one}{one}b"):
        texts = [f"({quotes}{start}# {number}{quotes} # 3" for number in (1, 2)]
        assert program(("bot.py", texts[0])) != program(("bot.py", texts[1])), start
        assert program(("bot.py", texts[0])) == program(("bot.py", texts[0].removesuffix(" # 3"))), start


NO_PYTHON = [b"\xff\xfe\0", b"def (", b"x = (\n", b"\0", b"    a\n  b\n", b"if 1:\n\ta\n        b\n", b"'"]


@pytest.mark.parametrize("text", NO_PYTHON)
def test_what_is_no_python_is_compared_nevertheless(text):
    assert program(("bot.py", text)) == program(("bot.py", text + b"\n# 1"))
    assert program(("bot.py", text)) != program(("bot.py", b"7\n" + text))
