"""What a bot's author has written is shown, not obeyed: no terminal is taken over by a name or a build."""

import pytest

pytestmark = pytest.mark.usefixtures("with_bubblewrap")

COMMANDS = "\x1b]0;owned\x07\x1b[2J"
SHOWN = r"\x1b]0;owned\x07\x1b[2J"


def test_the_log_of_a_build_is_shown_with_its_escapes(agon, tmp_path):
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "compile.sh").write_text(f"#!/bin/sh\nprintf '%s' '{COMMANDS}'\nexit 1\n")
    (bot / "run.sh").write_text("#!/bin/sh\n")
    ran = agon("play", "coup", bot, "StarterPy")
    assert ran.code == 2
    assert f"{SHOWN}\nagon: bot does not build: " in ran.err
    assert "\x1b" not in ran.err


@pytest.mark.parametrize("arguments", [("play", "coup", "x.py"), ("verify",)])
def test_a_name_is_shown_with_its_escapes(agon_here, arguments):
    ran = agon_here(*arguments, f"{COMMANDS}.py")
    assert ran.code == 2
    assert ran.err.startswith("agon: there is no file or folder ")
    assert "\x1b" not in ran.err


def test_a_folder_may_have_any_name_and_is_shown_with_its_escapes(agon, tmp_path):
    bot = tmp_path / f"r{COMMANDS}\n\udcff"
    bot.mkdir()
    (bot / "bot.py").write_text("print('hello')\n")
    ran = agon("play", "coup", f"{tmp_path}/{bot.name}", "StarterPy")
    assert ran.code == 0
    assert rf"r{SHOWN} \udcff" in ran.out
    assert "\x1b" not in ran.out
