"""What the check of a Python upload says. Here of texts of our own; uploads are only checked in a sandbox."""

import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.building.build import explained
from sandbox.languages.registry import get
from sandbox.reason_texts import english

HERE = f"Python {sys.version_info[0]}.{sys.version_info[1]}"


def check(folder: Path, files: dict[str, str]) -> tuple[int, str]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    step = [sys.executable, "-I", "-S", "-W", "ignore", "-c", get("python").script, "bot.py"]
    ran = subprocess.run(step, cwd=folder, capture_output=True, text=True)
    assert ran.stderr == ""
    said = ran.stdout.strip()
    return ran.returncode, english(explained(said)) if said else ""


@pytest.mark.parametrize(
    "line",
    [
        "print 'x'",
        "print x",
        "print",
        "print >> sys.stderr, 'x'",
        "exec 'x = 1'",
        "raise ValueError, 'x'",
        "x = 0777",
        "x = 10L",
        "x = `3`",
        "x = 1 <> 2",
        "x = ur'a'",
    ],
)
def test_python_2_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    status, said = check(tmp_path, {"bot.py": f"import sys\nx = 3\n{line}\n"})
    if line in ("print", "print >> sys.stderr, 'x'"):  # is Python 3 as well, to the compiler
        assert (status, said) == (0, "")
    else:
        assert (status, said) == (1, f"bot.py, line 3: {line} is Python 2; Agon runs {HERE}")


def test_an_old_except_clause_is_python_2(tmp_path: Path) -> None:
    status, said = check(tmp_path, {"bot.py": "try:\n    pass\nexcept ValueError, e:\n    pass\n"})
    assert (status, said) == (1, f"bot.py, line 3: except ValueError, e: is Python 2; Agon runs {HERE}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = (1\n\ny = 2\n", "bot.py, line 1: '(' was never closed: x = (1"),
        (
            "if True:\nx = 1\n",
            "bot.py, line 2: expected an indented block after 'if' statement on line 1: x = 1",
        ),
        ("a = 1\nfor print\n", "bot.py, line 2: invalid syntax: for print"),
        ("x = '\n", "bot.py, line 1: unterminated string literal (detected at line 1): x = '"),
    ],
)
def test_a_syntax_error_is_reported_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    assert check(tmp_path, {"bot.py": text}) == (1, said)


def test_texts_that_cannot_be_compiled_are_reported(tmp_path: Path) -> None:
    status, said = check(tmp_path, {"bot.py": "x = " + "-" * 100_000 + "1"})
    assert status == 1
    assert said.startswith("bot.py")
    (tmp_path / "bot.py").write_bytes(b"x = '\xe9'\n")
    status, said = check(tmp_path, {})
    assert status == 1
    assert said.startswith("bot.py, line ")


def test_every_file_is_checked_and_helpers_are_kept_compiled(tmp_path: Path) -> None:
    good = {"bot.py": "import lib.help\n", "lib/help.py": "x = 1\n"}
    assert check(tmp_path, good) == (0, "")
    assert [file.parent.name for file in tmp_path.rglob("*.pyc")] == ["__pycache__"]
    status, said = check(tmp_path, {"lib/old.py": "print 1\n"})
    assert (status, said) == (1, f"lib/old.py, line 1: print 1 is Python 2; Agon runs {HERE}")


def test_nothing_is_executed(tmp_path: Path) -> None:
    assert check(tmp_path, {"bot.py": "open('ran', 'w')\n", "lib.py": "open('ran', 'w')\n"}) == (0, "")
    assert not (tmp_path / "ran").exists()
