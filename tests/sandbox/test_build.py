"""Builds in a real sandbox: what authors upload becomes something that plays, or a reason in words."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from sandbox.api import Artifact, Limits, Line, Sandbox, SandboxError
from sandbox.boxes.channel import await_lines
from sandbox.building import build as build_module
from sandbox.building.build import Built, build
from sandbox.building.recipes import recipe
from sandbox.file_names import BadUpload
from sandbox.leftovers import this_process
from sandbox.reason_texts import english
from sandbox.uploads.accept import pasted, read_path, read_upload
from tests.support.archives import make_zip
from tests.support.boxes import one_backend

pytestmark = pytest.mark.slow

BOTS = Path(__file__).parent.parent / "bots"
SCRIPTS = {
    "compile.sh": b'#!/bin/sh\ngcc -o "my bot" x.c\n',
    "run.sh": b'#!/bin/sh\nexec "./my bot" "$@"\n',
    "x.c": b"int main(void) { return 0; }\n",
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def ready(artifact: Artifact, sandbox: Sandbox) -> bool:
    """Whether the bot says READY at its start, as bots of Samurai do."""
    box = sandbox.open(artifact, Limits())
    try:
        session = box.session()
        said = await_lines({0: (session.start(), 60.0)})[0]
        session.close()
        return isinstance(said, Line) and said.text.strip() == b"READY"
    finally:
        box.close()


def first_move(artifact: Artifact, sandbox: Sandbox) -> bytes:
    """What the bot appends when it is asked for the first move of a game of Coup."""
    box = sandbox.open(artifact, Limits())
    try:
        session = box.session()
        ran = session.run(["1", "1", "~$", "I\n", "F", "E", "S", "T"], b"", 60.0)
        session.close()
        assert ran.failed is None, ran.failed
        assert ran.file is not None
        return ran.file
    finally:
        box.close()


def built(source, sandbox: Sandbox, store: Path) -> Artifact:
    result = build(source, sandbox, store)
    assert result.artifact is not None, (english(result.reason), result.log)
    assert english(result.reason) == ""
    return result.artifact


def rejected(source, sandbox: Sandbox, store: Path) -> Built:
    result = build(source, sandbox, store)
    assert result.artifact is None
    assert english(result.reason)
    assert not list((store / "tmp").iterdir())
    return result


@pytest.mark.first(1)
@pytest.mark.parametrize("name", ["good.c", "good_toml"])
@pytest.mark.compilers
def test_a_bot_that_was_built_plays_over_lines(name: str, sandbox: Sandbox, store: Path) -> None:
    assert ready(built(read_path(BOTS / "samurai" / name), sandbox, store), sandbox)


@pytest.mark.first(2)
@one_backend
@pytest.mark.parametrize("name", ["good.py", "good.cpp", "good_scripts"])
@pytest.mark.compilers
def test_so_does_one_that_is_built_in_another_way(name: str, sandbox: Sandbox, store: Path) -> None:
    """The steps of a build are chosen above the backends."""
    assert ready(built(read_path(BOTS / "samurai" / name), sandbox, store), sandbox)


@pytest.mark.first(1)
@pytest.mark.parametrize("name", ["good_scripts", "good_toml"])
@pytest.mark.compilers
def test_one_that_was_built_as_its_author_says_is_run_for_each_move(
    name: str, sandbox: Sandbox, store: Path
) -> None:
    """What is built as its language says is, too, in the self-tests of test_languages_offered.py."""
    artifact = built(read_path(BOTS / "coup" / name), sandbox, store)
    assert first_move(artifact, sandbox) in b"I\n F E S T".split(b" ")


@one_backend
@pytest.mark.compilers
def test_an_artifact_is_found_again_and_built_once(sandbox: Sandbox, store: Path) -> None:
    source = read_path(BOTS / "samurai" / "good.c")
    first = build(source, sandbox, store)
    again = build(read_upload("other.zip", make_zip({"good.c": source.files[0].data})), sandbox, store)
    assert first.artifact is not None
    assert again.artifact == first.artifact == Artifact.load(first.artifact.path)
    assert first.artifact.path == store / first.artifact.digest
    assert (again.log, again.seconds) == (first.log, 0.0)
    assert first.seconds > 0
    changed = built(pasted(source.files[0].data.decode() + "\n", "c"), sandbox, store)
    assert changed.digest != first.artifact.digest


@one_backend
@pytest.mark.compilers
def test_builds_of_the_same_thing_at_once_are_safe(sandbox: Sandbox, store: Path) -> None:
    source = read_path(BOTS / "samurai" / "good_scripts")
    build(pasted("#", "bash"), sandbox, store)  # versions are known by now
    together = threading.Barrier(2)

    def build_at_once(_: int) -> Built:
        together.wait()
        return build(source, sandbox, store)

    with ThreadPoolExecutor(2) as pool:
        artifacts = [result.artifact for result in pool.map(build_at_once, range(2))]
    assert artifacts[0] is not None
    assert artifacts[0] == artifacts[1]
    assert ready(artifacts[0], sandbox)
    assert not list((store / "tmp").iterdir())


@pytest.mark.compilers
def test_scripts_without_executable_bits_run(sandbox: Sandbox, store: Path) -> None:
    artifact = built(read_upload("a.zip", make_zip(SCRIPTS)), sandbox, store)
    assert first_move(artifact, sandbox) == b""


@one_backend
@pytest.mark.compilers
def test_a_compile_error_is_reported_in_the_compilers_words(sandbox: Sandbox, store: Path) -> None:
    result = rejected(read_path(BOTS / "samurai" / "compile_error.c"), sandbox, store)
    assert "exited with status 1; see the log" in english(result.reason)
    assert "compile_error.c" in result.log
    assert "error:" in result.log
    assert result.language == "c"


@one_backend
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import sys\n\nprint 'x'\n", "bot.py, line 3: print 'x' is Python 2; Agon runs Python 3."),
        ("def f(:\n", "bot.py, line 1: invalid syntax: def f(:"),
    ],
)
def test_python_errors_are_the_reason_themselves(
    text: str, reason: str, sandbox: Sandbox, store: Path
) -> None:
    result = rejected(pasted(text, "python"), sandbox, store)
    assert english(result.reason).startswith(reason)
    assert "import py_compile" not in result.log  # our own check is not the author's business


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("name", "seconds", "why"),
    [
        ("compile_forever", 1.0, "took too long and was stopped"),
        ("compile_fork", 1.0, ""),  # it depends on what is exhausted first
        ("compile_output", 10.0, "printed more than 16 MiB and was stopped"),
    ],
)
def test_hostile_builds_are_stopped_and_leave_nothing(
    name: str, seconds: float, why: str, sandbox: Sandbox, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_module, "BUILD_SECONDS", seconds)
    result = rejected(read_path(BOTS / "samurai" / name), sandbox, store)
    assert english(result.reason).startswith("The build failed: ")
    assert why in english(result.reason)
    assert len(result.log) <= 80 << 10
    assert result.seconds < 60  # however busy the machine is
    monkeypatch.undo()
    assert ready(built(read_path(BOTS / "samurai" / "good.py"), sandbox, store), sandbox)


@pytest.mark.first(3)
@one_backend
@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (
            {"bot.toml": b'build = "true"\nrun = "./bot"'},
            "The build left no file ./bot, which is the program to run",
        ),
        ({"bot.toml": b'run = "./bot"'}, "The build left no file ./bot, which is the program to run"),
        ({"bot.toml": b'run = "../bot"'}, "The build left no file ../bot, which is the program to run"),
        ({"bot.toml": b'build = "ln -s /bin/sh bot"\nrun = "./bot"'}, "The build left no file ./bot"),
        ({"b.py": b"", "c.py": b""}, "a.zip contains several Python files"),
        ({"bot.toml": b"run = 1"}, "bot.toml: run: expected a command"),
    ],
)
def test_what_cannot_be_run_is_rejected_in_words(files, reason: str, sandbox: Sandbox, store: Path) -> None:
    result = build(read_upload("a.zip", make_zip(files)), sandbox, store)
    assert result.artifact is None
    assert english(result.reason).startswith(reason)


@one_backend
def test_a_build_that_leaves_too_much_is_rejected(sandbox: Sandbox, store: Path) -> None:
    toml = b'build = "head -c 105906176 /dev/zero > big; cp /bin/true bot"\nrun = "./bot"'
    result = rejected(read_upload("a.zip", make_zip({"bot.toml": toml})), sandbox, store)
    assert english(result.reason).startswith("The build left 101 MiB of files: expected at most 96 MiB")


@one_backend
def test_a_build_that_leaves_too_many_files_at_the_top_is_rejected(sandbox: Sandbox, store: Path) -> None:
    toml = b'build = "seq 1 2100 | xargs touch; cp /bin/true bot"\nrun = "./bot"'
    result = rejected(read_upload("a.zip", make_zip({"bot.toml": toml})), sandbox, store)
    assert english(result.reason) == (
        "The build left 2102 files and folders at the top level: expected at most 2048"
    )


def test_many_files_that_fill_a_work_folder_when_copied_are_built_and_play(
    sandbox: Sandbox, store: Path
) -> None:
    files = {f"{number}.bin": b"x" * 65_537 for number in range(990)}
    bot = b"#!/bin/sh\necho READY; cat"
    artifact = built(read_upload("a.zip", make_zip(files | {"run.sh": bot})), sandbox, store)
    assert ready(artifact, sandbox)


@one_backend
def test_what_a_killed_build_left_is_removed_by_a_later_one(sandbox: Sandbox, store: Path) -> None:
    living = f"agon-{this_process()}-x"
    for name in (living, f"agon-1-0-{this_process().split('-', 2)[2]}-x"):
        (store / "tmp" / name / "source").mkdir(parents=True)
    built(pasted("echo", "bash"), sandbox, store)
    assert [left.name for left in (store / "tmp").iterdir()] == [living]


class Broken:
    """A platform that fails: its box dies at every build."""

    name = "broken"

    def image(self, family: str) -> str:
        return family

    def build(self, *_: object) -> None:
        raise SandboxError("the engine has gone")


@pytest.mark.parametrize("name", ["good.c", "good_scripts"])
def test_a_failure_of_the_platform_is_raised_and_never_a_rejection(name: str, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="the engine has gone"):
        build(read_path(BOTS / "samurai" / name), Broken(), tmp_path / "store")  # type: ignore[arg-type]


@one_backend
def test_a_store_that_cannot_be_written_is_the_platforms_failure(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "store").write_text("no folder")
    with pytest.raises(SandboxError, match="cannot use"):
        build(read_path(BOTS / "samurai" / "good_toml"), sandbox, tmp_path / "store")


@pytest.mark.exhaustive
@one_backend
@pytest.mark.compilers
def test_a_java_program_in_packages_gets_its_arguments_as_they_are(sandbox: Sandbox, store: Path) -> None:
    """A move may begin with @, which Java's launcher reads as a file of options before the class."""
    files = {
        "Bot.java": b"""package my.game;
            import my.lib.Tool;
            public class Bot {
                static class Inner { static String of(String[] words) { return Tool.joined(words); } }
                public static void main(String[] words) { System.out.println(Inner.of(words)); }
            }""",
        "lib/Tool.java": b"""package my.lib;
            public class Tool {
                public static String joined(String[] words) {
                    return String.join("|", java.util.Arrays.copyOfRange(words, 1, words.length));
                }
            }""",
    }
    source = read_upload("game.zip", make_zip(files))
    box = sandbox.open(built(source, sandbox, store), Limits())
    try:
        session = box.session()
        ran = session.run(["@bot.args", "-cp", "a b", "*"], b"", 60.0)
        session.close()
    finally:
        box.close()
    assert (ran.failed, ran.stdout.strip()) == (None, b"@bot.args|-cp|a b|*")


GO_MAIN = b'package main\n\nimport (\n\t"fmt"\n\t"mybot/hlt"\n)\n\nfunc main() { fmt.Println(hlt.Word()) }\n'
GO_PACKAGE = b'package hlt\n\nfunc Word() string { return "READY" }\n'
GO_MOD = b"module mybot\n\ngo 1.22.3\n\ntoolchain go1.22.4\n"


@one_backend
@pytest.mark.parametrize(
    "files",
    [
        {"go.mod": GO_MOD, "main.go": GO_MAIN, "hlt/hlt.go": GO_PACKAGE, "main_test.go": b"package main\n"},
        {"main.go": GO_MAIN, "hlt/hlt.go": GO_PACKAGE},
        {"go.mod": GO_MOD, "cmd/bot/main.go": GO_MAIN, "hlt/hlt.go": GO_PACKAGE},
        {"MyBot.go": GO_MAIN.replace(b"mybot/", b""), "src/hlt/hlt.go": GO_PACKAGE},
    ],
    ids=["module", "no go.mod", "main in a folder", "GOPATH"],
)
@pytest.mark.languages
def test_a_go_program_may_have_packages_in_folders(
    files: dict[str, bytes], sandbox: Sandbox, store: Path
) -> None:
    assert ready(built(read_upload("a.zip", make_zip(files)), sandbox, store), sandbox)


@one_backend
@pytest.mark.languages
def test_the_edition_of_cargo_is_used(sandbox: Sandbox, store: Path) -> None:
    files = {"src/main.rs": b'fn main() { let async = "READY"; println!("{}", async); }\n'}
    assert "async" in rejected(read_upload("a.zip", make_zip(files)), sandbox, store).log
    files["Cargo.toml"] = b'[package]\nname = "bot"\nedition = "2015"\n'
    assert ready(built(read_upload("a.zip", make_zip(files)), sandbox, store), sandbox)


def test_dependencies_of_cargo_are_refused_by_name() -> None:
    toml = b'[package]\nname = "bot"\n[dependencies]\nrand = "0.8"\nserde = { version = "1" }\n'
    source = read_upload("a.zip", make_zip({"src/main.rs": b"fn main() {}", "Cargo.toml": toml}))
    with pytest.raises(BadUpload, match=r"names dependencies \(rand, serde\)"):
        recipe(source)


@one_backend
def test_the_log_says_that_requirements_are_not_installed(sandbox: Sandbox, store: Path) -> None:
    files = {"bot.py": b"print('READY')\n", "requirements.txt": b"# of mine\ntorch==2.1\nnetworkx\n"}
    result = build(read_upload("a.zip", make_zip(files)), sandbox, store)
    assert result.artifact is not None
    assert "requirements.txt is not installed, because builds have no network: torch, networkx" in result.log


@pytest.mark.first(1)
@one_backend
@pytest.mark.parametrize(
    "command",
    [
        "python3 -m pip install torch",
        pytest.param("go get example.com/x", marks=pytest.mark.languages),
        "npm install left-pad",
    ],
)
def test_a_build_that_looks_for_the_network_is_told_that_there_is_none(
    command: str, sandbox: Sandbox, store: Path
) -> None:
    toml = f'build = "{command}"\nrun = "python3 bot.py"'.encode()
    source = read_upload("a.zip", make_zip({"bot.toml": toml, "bot.py": b"", "go.mod": b"module bot\n"}))
    assert "A build has no network: put all that it needs into the upload" in english(
        rejected(source, sandbox, store).reason
    )


DEEP = b"""#include <stdio.h>
int deep(int n) {
    volatile char frame[1000];
    frame[n % 1000] = 1;
    return n ? deep(n - 1) + frame[n % 1000] : 0;
}
int main(void) { printf("%d\\n", deep(50000)); fflush(stdout); return 0; }
"""


@pytest.mark.parametrize(("command", "deep"), [("./bot", False), ("ulimit -s 65536; exec ./bot", True)])
@pytest.mark.compilers
def test_a_program_may_raise_its_stack(command: str, deep: bool, sandbox: Sandbox, store: Path) -> None:
    toml = f'build = "gcc -o bot bot.c"\nrun = "{command}"'.encode()
    artifact = built(read_upload("a.zip", make_zip({"bot.c": DEEP, "bot.toml": toml})), sandbox, store)
    with closing(sandbox.open(artifact, Limits())) as box, closing(box.session()) as session:
        said = await_lines({0: (session.start(), 60.0)})[0]
    assert isinstance(said, Line) == deep
    assert isinstance(said, Line) or "SIGSEGV" in english(said.reason)
