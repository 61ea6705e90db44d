"""The rules pages: every language is there, places can be filled, the worked example is a real match."""

from __future__ import annotations

import json
import re
from collections import Counter
from types import ModuleType
from typing import Any

import pytest

from games.camel_up import adapter as camel_up
from games.core.driver import Driver, Reply
from games.core.manifest import GAMES, all_games, load
from games.honest_rps import adapter as honest_rps
from tests.support.reasons import told

LANGUAGES = ("en", "ja", "ru")
# What the other three seats answered on turns 1 and 2 of the match that a game's pages show, and its seed.
OTHERS = {
    "samurai": (1, [["0 4 3 0 4", "1 0 1 2 5", "0 4 3 2 5"], ["2 5", "0 2", "1 0"]]),
    "language_survival": (3, [["5 2 0 5 0", "0 1 2 3 4", "5 5 5 5 5"], ["5 4", "5 0", "5 1"]]),
}


def page(slug: str, language: str) -> str:
    return (GAMES / slug / f"rules.{language}.md").read_text(encoding="utf-8")


def sections(text: str) -> list[str]:
    """What stands between the headings, without the blocks of code."""
    return re.split(r"^#+ .*$", re.sub(r"^```\n.*?^```$", "", text, flags=re.M | re.S), flags=re.M)


def code_blocks(text: str) -> list[str]:
    return re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("slug", [info.slug for info in all_games()])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_rules_page_names_every_limit_that_its_manifest_sets(slug: str, language: str) -> None:
    places = set(re.findall(r"\{\{ (\w+) \}\}", page(slug, language)))
    assert places >= {
        "turn_s",
        "memory_mib",
        "processes",
        "work_mib",
        "output_bytes",
        "open_files",
        "answer_bytes",
    }
    assert ("ready_s" in places) == (load(slug).limits.ready_ms is not None)


@pytest.mark.parametrize("slug", [info.slug for info in all_games()])
def test_the_languages_have_the_same_sections_tables_and_protocol(slug: str) -> None:
    shapes = set()
    for language in LANGUAGES:
        text = page(slug, language)
        rows = tuple(line.count("|") for line in text.splitlines() if line.startswith("|"))
        levels = tuple(re.findall(r"^(#+) ", text, re.MULTILINE))
        shapes.add((levels, rows, *(block for block in code_blocks(text) if not re.search(r"\.\.\.", block))))
    assert len(shapes) == 1


@pytest.mark.parametrize("slug", [info.slug for info in all_games()])
@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_translation_tells_the_numbers_and_the_code_of_the_english_page(slug: str, language: str) -> None:
    for ours, theirs in zip(sections(page(slug, "en")), sections(page(slug, language)), strict=True):
        numbers, told = (Counter(re.findall(r"[0-9]+", text)) for text in (ours, theirs))
        assert not numbers - told, ours  # in Japanese there are more, for articles and ordinals
        code, shown = (Counter(re.findall(r"`[^`]+`", text)) for text in (ours, theirs))
        assert shown.total() == code.total(), ours
        assert not [span for span in shown - code if span.isascii()], ours  # names may be translated


def words(slug: str) -> str:
    return " ".join(page(slug, "en").split())


@pytest.mark.parametrize("slug", [info.slug for info in all_games() if info.limits.ready_ms is not None])
def test_a_page_says_that_the_input_is_closed_and_where_standard_error_goes(slug: str) -> None:
    assert "input is closed" in words(slug)
    assert re.search(r"standard error (is yours|goes to a log that only you can read)", words(slug), re.I)


@pytest.mark.parametrize("slug", [info.slug for info in all_games()])
def test_a_page_says_how_to_bring_several_files(slug: str) -> None:
    assert "Larger bots come as a zip or tar.gz with a `run.sh`" in words(slug)
    if load(slug).channel == "function":
        assert "Helpers may come in further files: upload a zip named like the" in words(slug)


def test_the_camel_up_page_names_the_fields_that_programs_do_not_get() -> None:
    line = json.loads(str(Driver(load("camel_up"), 4, 1).pending[0].view))
    shown = re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`.*?) \|", page("camel_up", "en"), re.M)))
    left_out = re.search(r"the fields above, without `(\w+)`, `(\w+)` and `(\w+)`", page("camel_up", "en"))
    assert left_out
    assert set(line) == set(shown) - set(left_out.groups()) - {"0", "1", "2", "3", "4"}


def test_the_coup_example_is_a_real_match() -> None:
    driver = Driver(load("coup"), 2, 38)
    (example,) = [block for block in code_blocks(page("coup", "en")) if block.startswith("call 1 ")]
    for line in example.splitlines():
        _, seat, shown, *written = re.split(r" {2,}", line)
        (request,) = driver.pending
        assert f"seat {request.seat}" == seat
        assert " ".join(request.view.args).replace("\n", "\\n") == shown
        appended, stdout = (*written, "")[:2]
        driver.answer({request.seat: Reply({"appended": appended.replace("\\n", "\n"), "stdout": stdout})})
    assert driver.finished
    assert driver.scores == (1, 0)
    assert driver.files["history.txt"] == "Tp\nTp\nEp\nAs\nAsq0"


@pytest.mark.parametrize("slug", OTHERS)
def test_the_example_of_a_game_of_lines_is_a_real_match(slug: str) -> None:
    seed, others = OTHERS[slug]
    driver = Driver(load(slug), 4, seed)
    (example,) = [block for block in code_blocks(page(slug, "en")) if block.startswith("> 9 4 6")]
    turns = re.findall(r"((?:^> .*\n)+)^< (.*)\n", example, re.MULTILINE)
    assert len(turns) == 3
    for (sent, answer), said in zip(turns, [*others, [""] * 3], strict=True):
        assert driver.pending[0].view == sent.replace("> ", "")
        driver.answer({seat: Reply(line) for seat, line in enumerate([answer, *said])})


def test_the_honest_rps_example_is_a_real_match_of_the_function_that_the_page_shows() -> None:
    blocks = code_blocks(page("honest_rps", "en"))
    code, lines, calls = blocks[0], blocks[2], blocks[3]
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 (our own page)
    module = ModuleType("tit4tat")
    made = []

    def noted(*arguments: object) -> object:
        made.append(f"tit4tat({json.dumps(arguments)[1:-1].replace('null', 'None')})\n")
        return names["tit4tat"](*arguments)

    module.tit4tat = noted  # type: ignore[attr-defined]
    answer = honest_rps.find(module, "tit4tat")
    driver, said = Driver(load("honest_rps"), 2, 0), []
    for theirs in "SPSSRP":
        line = str(driver.pending[0].view)
        said += [f"> {line}", f"< {answer(line.rstrip())}\n"]
        driver.answer({0: Reply(said[-1][2]), 1: Reply(theirs)})
    assert "".join(said) == lines
    assert "".join(made) == calls
    assert [frame["score"] for frame in driver.frames] == [[1, 2], [3, 3], [6, 3]]


def test_the_camel_up_example_is_a_real_game_and_what_the_class_of_the_page_answers() -> None:
    code, example = (code_blocks(page("camel_up", "en"))[number] for number in (0, 1))
    driver = Driver(load("camel_up"), 4, 2)
    for said in ("[0]", "[2, 2]", "[4, 0]", "[1, 1, 4]"):
        (request,) = driver.pending
        driver.answer({request.seat: Reply(said)})
    module = ModuleType("follower")
    exec(code, vars(module))  # noqa: S102 (our own page)
    line = str(driver.pending[0].view)
    assert example == f"> {line}< {camel_up.find(module, 'follower')(line)}\n"
    assert told(driver.faults) == []
