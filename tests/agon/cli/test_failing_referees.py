"""What a game's author is told on the command line when the referee fails: one sentence, with the place."""

import json

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def author(agon_here, with_bubblewrap, environment, monkeypatch, tmp_path):
    """A folder with a new game named `mine`; `change` edits its referee and returns the line of the edit."""
    monkeypatch.setitem(environment, "AGON_GAMES", str(tmp_path / "games"))
    assert agon_here("new-game", "mine").code == 0
    referee = tmp_path / "games/mine/referee.py"

    def change(old, new):
        before, separator, after = referee.read_text().partition(old)
        assert separator
        referee.write_text(f"{before}{new}{after}")
        return before.count("\n") + new.rstrip("\n").count("\n") + 1

    return change


PLAY = ["play", "mine", "Starter", "Climber", "--json"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("def view(self,", "def view(self", "SyntaxError: invalid syntax"),
        ("ROUNDS = ", "import nonsense\nROUNDS = ", "ModuleNotFoundError: No module named 'nonsense'"),
        ("ROUNDS = ", "raise SystemExit(0)\nROUNDS = ", "SystemExit: 0"),
    ],
)
def test_a_referee_that_cannot_be_imported_is_told_with_its_line(author, agon, old, new, words):
    line = author(old, new) - (new.count("\n"))
    ran = agon(*PLAY)
    assert (ran.code, ran.out) == (2, "")
    [said] = ran.err.splitlines()
    assert said.startswith(f"agon: mine: referee.py, line {line}")
    assert said.endswith(words)


def test_a_referee_that_raises_is_told_with_its_line_and_stdout_stays_json(author, agon):
    line = author("    def play(self) -> Play:\n", "    def play(self) -> Play:\n        1 / 0\n")
    ran = agon(*PLAY)
    assert (ran.code, ran.json["matches"]) == (3, [])
    assert ran.err.splitlines() == [
        "agon: match 0 is void, through no fault of a bot: "
        f"mine: referee.py, line {line}, in play: ZeroDivisionError: division by zero",
        "agon: 0 of 1 matches were played and are not saved; 1 is void",
    ]


def test_a_game_whose_referee_exits_does_not_pass(author, agon):
    line = author("            moves = yield", "            raise SystemExit\n            moves = yield")
    ran = agon("check-game", "mine", "--json")
    assert ran.code == 1
    honest = next(
        check for check in ran.json["checks"] if check["check"] == "honest_matches_end_without_faults"
    )
    where = f"referee.py, line {line - 1}, in play"
    assert honest["words"][0].startswith(f"the game raises an exception: {where}: SystemExit")


def test_a_game_that_exits_when_it_is_imported_does_not_pass(author, agon):
    line = author("ROUNDS = ", "import sys; sys.exit(0)\nROUNDS = ") - 1
    ran = agon("check-game", "mine", "--json")
    assert ran.code == 1
    assert ran.json["checks"][1]["words"] == [f"referee.py, line {line}, in <module>: SystemExit: 0"]


def test_what_a_referee_prints_is_shown_apart_with_its_line(author, agon):
    line = author(
        "            moves = yield", "            print('round', number)\n            moves = yield"
    )
    ran = agon(*PLAY)
    assert (ran.code, len(ran.json["matches"])) == (0, 1)
    where = f"agon: mine: referee.py, line {line - 1}, prints to standard output"
    assert ran.err.splitlines() == [
        f"{where}, which is for results; it is shown here",
        *(f"round {number}" for number in range(1, 11)),
    ]


@pytest.mark.parametrize("value", ["float('nan')", "(number for number in ())"])
def test_a_frame_that_is_not_json_is_named_and_the_match_counts(author, agon, value):
    author("self.frame(round=number,", f"self.frame(round=number, odd={value},")
    ran = agon(*PLAY, "--matches", "2")
    assert (ran.code, len(ran.json["matches"])) == (0, 2)
    [said] = ran.err.splitlines()
    assert said.startswith("agon: mine: frame 0, 'odd' is not JSON: ")
    assert said.endswith("; replays have null there")


@pytest.mark.exhaustive
def test_what_a_referee_prints_when_it_is_imported_is_shown_apart_once(author, agon):
    author("ROUNDS = ", "print('hello')\nROUNDS = ")
    ran = agon(*PLAY)
    assert (ran.code, len(ran.json["matches"])) == (0, 1)
    assert ran.err.splitlines()[1:] == ["hello"]


@pytest.mark.exhaustive
def test_verify_tells_where_a_changed_referee_raises_and_prints(author, agon, tmp_path):
    assert agon(*PLAY, "--save", tmp_path / "a").code == 0
    record = tmp_path / "a/matches/0/record.json"
    line = author("            moves = yield", "            print(number)\n            moves = yield")
    ran = agon("verify", record, "--json")
    assert (ran.code, json.loads(ran.out)[0]["sound"]) == (0, True)
    assert f"agon: mine: referee.py, line {line - 1}, prints to standard output" in ran.err
    line = author("            print(number)\n", "            1 / 0\n")
    ran = agon("verify", record, "--json")
    assert ran.code == 1
    assert ran.err.endswith(
        f"record.json cannot be played again: mine: referee.py, line {line}, in play: "
        "ZeroDivisionError: division by zero\n"
    )
    ran = agon("verify", tmp_path / "a", "--json")
    assert ran.code == 1
    assert json.loads(ran.out)[0]["differences"][0] == (
        f"matches/0/record.json: cannot be played again: referee.py, line {line}, in play: "
        "ZeroDivisionError: division by zero"
    )
