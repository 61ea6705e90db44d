"""Languages are data. That of an upload is detected from its files, or chosen by its author."""

import re
import time
import tracemalloc
from pathlib import Path

import pytest

from sandbox.building import projects
from sandbox.building.recipes import recipe
from sandbox.languages.registry import all_languages, extensions, families, get
from sandbox.uploads.accept import BadUpload, read_path, read_upload
from tests.support.archives import make_zip

SLUGS = [language.slug for language in all_languages()]
BOTS = Path(__file__).parent.parent / "bots"


def packed(*names: str, **contents: str):
    return read_upload(
        "upload.zip", make_zip(dict.fromkeys(names, b"") | {n: t.encode() for n, t in contents.items()})
    )


def with_toml(text: str, *names: str):
    return read_upload("a.zip", make_zip(dict.fromkeys(names, b"x") | {"bot.toml": text.encode()}))


def refusal(source, language: str | None = None) -> str:
    with pytest.raises(BadUpload) as caught:
        recipe(source)
    return str(caught.value)


def test_the_core_languages_are_there() -> None:
    assert {"python", "c", "cpp", "java", "javascript"} <= set(SLUGS)


@pytest.mark.parametrize("slug", SLUGS)
def test_a_language_file_is_complete_and_consistent(slug: str) -> None:
    language = get(slug)
    assert re.fullmatch(r"[a-z][a-z0-9_]*", slug)
    assert language.family in families()
    assert all([language.title, language.package, language.version, language.run, language.selftest])
    assert all(re.fullmatch(r"\.[a-z0-9+]+", extension) for extension in language.extensions)
    assert language.file_name("").endswith(language.extensions[0])
    holes = {
        hole for c in (*language.build, language.run) for word in c for hole in re.findall(r"\{\w+\}", word)
    }
    assert holes <= {"{main}", "{stem}", "{base}", "{sources}", "{script}"}
    assert ("{script}" in holes) == bool(language.script)


def test_no_two_languages_claim_one_extension_unless_one_is_only_for_choosing() -> None:
    claimed = [ext for language in all_languages() if not language.only_chosen for ext in language.extensions]
    assert sorted(claimed) == sorted(set(claimed))
    assert set(claimed) == set(extensions())


@pytest.mark.parametrize(
    ("names", "language", "command"),
    [
        (["bot.py"], "python", ("python3", "bot.py")),
        (["robot.py"], "python", ("python3", "robot.py")),
        (["main.py", "util.py", "data.txt"], "python", ("python3", "main.py")),
        (["bot.py", "main.py", "player.py"], "python", ("python3", "bot.py")),
        (["Bot.py", "x.py"], "python", ("python3", "Bot.py")),
        (["player.py", "tool.c", "tool2.c"], "python", ("python3", "player.py")),
        (["README.md", "src/bot.py", "src/deep/other.py"], "python", ("python3", "src/bot.py")),
        (["one.c", "two.c", "two.h"], "c", ("./bot",)),
        (["main.cc", "x.cpp", "x.hpp"], "cpp", ("./bot",)),
        (["bot.js", "lib.js"], "javascript", ("node", "bot.js")),
        (["src/bot.ts", "src/lib.ts"], "typescript", ("node", "src/bot.js")),
    ],
)
def test_language_and_main_file_are_detected_from_the_names(names: list[str], language: str, command) -> None:
    how = recipe(packed(*names, "x/notes.txt"))
    assert (how.language, how.command) == (language, command)
    assert how.python == (command[1] if language == "python" else None)


def test_all_files_of_a_compiled_language_are_compiled() -> None:
    [step] = recipe(packed("one.c", "@two.c", "sub/three.c", "four.h")).steps
    assert [word for word in step if word.endswith(".c")] == ["./@two.c", "one.c", "sub/three.c"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a.py", "b.py"], "several Python files ('a.py', 'b.py')"),
        (["bot.py", "bot.c"], "several languages (C: 'bot.c'; Python: 'bot.py')"),
        (["bot.py", "main.c"], "several languages"),
        (["a.py", "b.c"], "several languages"),
        (["A.java", "B.java"], "several Java files"),
        ([f"{n}.py" for n in range(9)], "and 4 more"),
    ],
)
def test_what_is_ambiguous_is_refused_with_the_way_out(names: list[str], said: str) -> None:
    message = refusal(packed(*names))
    assert said in message
    assert "bot.toml" in message
    assert "bot, main or player" in message


def test_an_archive_without_a_program_is_refused() -> None:
    assert "no source file of a known language ('notes.txt')" in refusal(packed("notes.txt"))
    assert "expected both" in refusal(packed("compile.sh", "bot.c"))


def test_a_chosen_language_is_taken() -> None:
    data = make_zip({"a.py": b"", "bot.c": b""})
    assert recipe(read_upload("a.zip", data, "pypy")).command[-2:] == ("pypy3", "a.py")
    assert "expected PyPy (.py)" in refusal(read_upload("a.zip", make_zip({"a.c": b""}), "pypy"))
    with pytest.raises(BadUpload, match="expected one of"):
        read_upload("a.zip", data, "klingon")


def test_too_many_files_for_one_command_are_refused() -> None:
    assert "compile.sh" in refusal(packed(*(f"{'x' * 60}{number}.c" for number in range(900))))


def test_scripts_come_before_detection() -> None:
    how = recipe(read_path(BOTS / "samurai" / "good_scripts"))
    assert (how.language, how.steps, how.command) == ("scripts", (("./compile.sh",),), ("./run.sh",))
    how = recipe(read_upload("a.zip", make_zip({"run.sh": b"python3 x.py", "x.py": b"", "y.c": b""})))
    assert (how.steps, how.command) == ((), ("bash", "run.sh"))


@pytest.mark.parametrize(
    ("files", "chosen", "family"),
    [
        ({"run.sh": "./bot", "compile.sh": "#!/bin/sh\nghc -O1 -o bot Bot.hs"}, None, "functional"),
        ({"run.sh": 'exec java -jar bot.jar "$@"', "bot.jar": ""}, None, "core"),
        ({"run.sh": "node bot.js", "bot.js": ""}, None, "core"),
        ({"run.sh": "node bot.js", "compile.sh": "tsc bot.ts", "bot.ts": ""}, None, "scripting"),
        ({"run.sh": "node bot.js", "compile.sh": "node build.js", "bot.ts": ""}, None, "scripting"),
        ({"run.sh": "./bot", "compile.sh": "python3 gen.py\ngo build bot.go"}, None, "native"),
        ({"run.sh": "# not with ruby\n./bot", "compile.sh": "gcc -o bot bot.c", "x.rb": ""}, None, "core"),
        ({"run.sh": "./bot", "compile.sh": "make", "a.rs": "", "b.rs": "", "t.py": ""}, None, "native"),
        ({"run.sh": "bash start.sh", "start.sh": "", "data.txt": ""}, None, "core"),
        ({"run.sh": "./bot", "compile.sh": "gcc -o bot bot.c", "bot.rb": ""}, "ruby", "scripting"),
        ({"bot.toml": 'run = "Rscript bot.R"', "bot.R": ""}, None, "other"),
        ({"bot.toml": 'build = "make"\nrun = "./bot"', "bot.ml": "", "Makefile": ""}, None, "functional"),
        ({"bot.lua": ""}, None, "scripting"),
    ],
)
def test_the_family_of_languages_is_detected(files, chosen: str | None, family: str) -> None:
    packed = make_zip({name: text.encode() for name, text in files.items()})
    assert recipe(read_upload("a.zip", packed, chosen)).family == family


def test_the_family_is_part_of_what_a_build_is_found_by() -> None:
    packed = make_zip({"run.sh": b"./bot", "bot.c": b"", "bot.rb": b""})
    assert recipe(read_upload("a.zip", packed)).digest != recipe(read_upload("a.zip", packed, "ruby")).digest


def test_scripts_with_windows_line_ends_are_refused() -> None:
    source = read_upload("a.zip", make_zip({"run.sh": b"#!/bin/sh\r\n./bot\r\n"}))
    assert "run.sh, line 1: ends with CR LF" in refusal(source)


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"bot.sh": b"echo READY\r\n"}, "bot.sh"),
        ({"bot.bash": b"#!/bin/bash\r\necho READY\r\n"}, "bot.bash"),
        ({"run.sh": b"./bot\n", "compile.sh": b"make\r\n"}, "compile.sh"),
        ({"bot.toml": b'run = "./play.py"', "play.py": b"#!/usr/bin/python3\r\n"}, "play.py"),
        (
            {"bot.toml": b'build = "sh tools/make.sh"\nrun = "./a"', "tools/make.sh": b"cc x.c\r\n"},
            "tools/make.sh",
        ),
    ],
)
def test_so_is_every_script_that_is_run_with_them(files: dict[str, bytes], name: str) -> None:
    assert f"{name}, line 1: ends with CR LF" in refusal(read_upload("a.zip", make_zip(files)))


@pytest.mark.parametrize(
    "files",
    [
        {"bot.py": b"#!/usr/bin/env python3\r\nprint(1)\r\n"},
        {"bot.toml": b'run = "python3 play.py"\r\n', "play.py": b"#!/usr/bin/python3\r\n"},
        {"run.sh": b"./bot\n", "notes.sh": b"# not run\r\n"},
    ],
)
def test_what_no_shell_reads_may_have_them(files: dict[str, bytes]) -> None:
    recipe(read_upload("a.zip", make_zip(files)))


def test_of_two_main_files_in_two_languages_one_has_to_go() -> None:
    message = refusal(packed("bot.py", "bot.c"))
    assert "rename or remove all but one" in message
    assert "name the main file" not in message
    assert "name the main file" in refusal(packed("a.py", "b.c"))


def test_a_byte_order_mark_is_no_part_of_a_program() -> None:
    mark = b"\xef\xbb\xbf"
    files = {"Bot.java": mark + b"class Bot {}", "run.sh": mark + b"#!/bin/sh\n", "data.bin": mark + b"1"}
    source = read_upload("a.zip", make_zip(files))
    assert [file.data for file in source.files] == [b"class Bot {}", mark + b"1", b"#!/bin/sh\n"]
    assert recipe(source).command == ("./run.sh",)
    assert read_upload("bot.py", mark + b"x").digest == read_upload("bot.py", b"x").digest


@pytest.mark.parametrize(
    ("toml", "steps", "command"),
    [
        ('run = "./bot"', (), ("./bot",)),
        ("run = \"./bot -x 'a b'\"", (), ("./bot", "-x", "a b")),
        ('run = ["./bot", "a b", "$HOME"]', (), ("./bot", "a b", "$HOME")),
        ('build = "make"\nrun = "./bot"', (("make",),), ("./bot",)),
        ('build = ["gcc", "-std=c17", "x.c"]\nrun = "./a.out"', (("gcc", "-std=c17", "x.c"),), ("./a.out",)),
        ('build = "gcc -std=c17 x.c"\nrun = "./a.out"', (("gcc", "-std=c17", "x.c"),), ("./a.out",)),
        (
            'build = "make && make install"\nrun = "x"',
            (("sh", "-e", "-c", "make && make install", "sh"),),
            ("x",),
        ),
        ('run = "cd src; ./bot"', (), ("sh", "-e", "-c", 'cd src; ./bot "$@"', "sh")),
        ('run = "A=1 ./bot"', (), ("sh", "-e", "-c", 'A=1 ./bot "$@"', "sh")),
        ("run = 'cd src; exec ./bot -f \"$@\"'", (), ("sh", "-e", "-c", 'cd src; exec ./bot -f "$@"', "sh")),
    ],
)
def test_bot_toml_says_how_to_build_and_run(toml: str, steps, command) -> None:
    how = recipe(with_toml(toml, "a.py", "b.py", "run.sh"))
    assert (how.language, how.steps, how.command) == ("bot_toml", steps, command)


def test_bot_toml_may_name_the_main_python_file_of_several() -> None:
    assert recipe(with_toml('run = "python3 a.py"', "a.py", "b.py")).python == "a.py"
    assert recipe(with_toml('run = "python3 -O a.py"', "a.py", "b.py")).python is None
    assert recipe(with_toml('run = "python3 c.py"', "a.py", "b.py")).python is None


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("", "got none"),
        ('build = "make"', "got none"),
        ("run = 3", "run: expected a command (a string or a list of words), got 3"),
        ('run = ""', "run: expected a command"),
        ('run = "  "', "run: expected a command"),
        ("run = []", "run: expected a list of words"),
        ('run = ["a", 1]', "run: expected a list of words"),
        ('run = ["a", ""]', "run: expected a list of words"),
        ('run = "a"\nbuild = {x = 1}', "build: expected a command"),
        ('run = "a \'b"', "No closing quotation"),
        ('run = "a\\u0000b"', "without NUL"),
        ('run = "a"\nlanguage = "c"\nspeed = 1', "got 'language', 'speed'"),
        ("run = ", "expected TOML"),
        ("run: python3 bot.py", "expected TOML"),
        ("x = " + "[" * 3000, "expected TOML"),
        ('run = "' + "x" * 20_000 + '"', "at most 16 KiB"),
        ('run = "a"\nrun = "b"', "expected TOML"),
        ("run = " + "9" * 5000, "expected TOML"),
        ("run = 0x" + "f" * 5000, "run: expected a command (a string or a list of words), got too large"),
        (f"[run{'.a' * 490}]\n{'a.' * 490}a = 1", "run: expected a command"),
        ("run" + ".a" * 5000 + " = 1", "expected TOML (a line has more than 500 dots)"),
    ],
)
def test_a_bad_bot_toml_is_refused_in_words(toml: str, said: str) -> None:
    message = refusal(with_toml(toml, "bot.py"))
    assert message.startswith("bot.toml:")
    assert said in message


def test_a_script_that_is_no_script_for_its_size_is_refused() -> None:
    """It is read by the web site, to find out what it needs: 45 MiB of words took seconds and a gigabyte."""
    long = b"#!/bin/sh\n" + b"a b " * (1 << 16)
    source = read_upload("a.zip", make_zip({"run.sh": long}))
    assert "run.sh: expected at most 256 KiB, got 262,154 bytes" in refusal(source)
    assert recipe(read_upload("a.zip", make_zip({"run.sh": long[: 256 << 10]}))).language == "scripts"


@pytest.mark.parametrize(
    ("name", "other", "text"),
    [("a.py", "requirements.txt", "\n" * 60_000), ("a.rs", "Cargo.toml", "a" + ".a" * 30_000 + " = 1")],
)
def test_a_project_file_is_read_in_little_time_and_memory(name: str, other: str, text: str) -> None:
    """A builder that reads one must say meanwhile that it is alive, and other builds need memory, too."""
    source = read_upload("a.zip", make_zip({name: b"", other: text.encode()}))
    language = get("rust" if other == "Cargo.toml" else "python")
    tracemalloc.start()
    began = time.process_time()
    projects.check(source, language)
    projects.note(source, language)
    seconds, most = time.process_time() - began, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (seconds < 1, most < 8 << 20) == (True, True)


def test_a_bot_toml_that_is_not_utf8_is_refused() -> None:
    source = read_upload("a.zip", make_zip({"bot.toml": 'run = "é"'.encode("latin-1")}))
    assert "expected UTF-8 text, got something else at byte 7" in refusal(source)


def test_the_page_about_languages_names_them_all_by_family() -> None:
    page = (BOTS.parents[1] / "docs" / "reference" / "languages.md").read_text()
    for family in families():
        titles = ", ".join(language.title for language in all_languages() if language.family == family)
        assert f"| {family} | {titles} |" in page
    assert f"in {len(all_languages())} languages" in page
