"""`agon check-game --mutants`: which changes are made to a referee, and which of them no check notices.

The changed games are new ones of `agon new-game`.
"""

import ast
import time

import pytest

from agon.cli.authors import mutations
from agon.cli.authors.hidden_state import hidden_attributes
from agon.cli.authors.mutations import BadMark, rule_files
from games.core.compliance.harness import game_under_test
from games.core.manifest import load

from .test_check_game import author, change, new_game

__all__ = ["author", "new_game"]

REFEREE = '''"""Möbius."""
from games.core.game import Ask, Game, Illegal
from .parts import used, LIMIT


class Möbius(Game):
    def view(self, seat):
        return "ä" + self.hands[seat]

    def move(self, seat: "int", raw):
        if raw == "x":
            raise Illegal("no")
        if 0 < raw <= LIMIT and not self.over:
            self.hands.sort()
        self.sum += self.rng.choice([1 - seat])
        assert seat == 7  # mutants: never another
        return used(seat)
'''
PARTS = """LIMIT = 3


def used(number):
    return number - 1


def unused(number):
    return number - 1
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "referee.py").write_text(REFEREE, encoding="utf-8")
    (tmp_path / "mine" / "parts.py").write_text(PARTS, encoding="utf-8")
    return tmp_path / "mine"


def test_each_change_is_small_and_its_kind_is_named(folder):
    paths = rule_files(folder)
    assert [path.name for path in paths] == ["referee.py", "parts.py"]
    made = mutations.mutations(paths, "Möbius", ["deck"])
    changes = {
        (mutation.path.name, mutation.line, mutation.kind, mutation.diff().partition("\n+")[2].strip())
        for mutation in made.mutants
    }
    assert changes == {
        ("referee.py", 8, "a secret shown", 'return leaking("ä" + self.hands[seat], self.deck)'),
        ("referee.py", 8, "seats swapped", 'return "ä" + self.hands[seat - 1]'),
        ("referee.py", 11, "a check dropped", "if False:"),
        ("referee.py", 11, "a condition turned", 'if raw != "x":'),
        ("referee.py", 13, "a comparison off by one", "if 0 <= raw <= LIMIT and not self.over:"),
        ("referee.py", 13, "a comparison off by one", "if 0 < raw < LIMIT and not self.over:"),
        ("referee.py", 13, "a number changed", "if 1 < raw <= LIMIT and not self.over:"),
        ("referee.py", 13, "a condition turned", "if (0 < raw <= LIMIT or not self.over):"),
        ("referee.py", 13, "a condition turned", "if 0 < raw <= LIMIT and bool(self.over):"),
        ("referee.py", 14, "a statement dropped", "pass"),
        ("referee.py", 15, "plus and minus swapped", "self.sum -= self.rng.choice([1 - seat])"),
        ("referee.py", 15, "a draw more", "self.sum += (self.rng.random(), self.rng.choice([1 - seat]))[1]"),
        ("referee.py", 15, "seats swapped", "self.sum += self.rng.choice([seat])"),
        ("referee.py", 15, "a number changed", "self.sum += self.rng.choice([2 - seat])"),
        ("parts.py", 1, "a number changed", "LIMIT = 4"),
        ("parts.py", 5, "plus and minus swapped", "return number + 1"),
        ("parts.py", 5, "a number changed", "return number - 2"),
    }
    assert made.stated == 2
    for mutant in made.mutants:
        ast.parse(mutant.text())


def test_a_line_without_mutants_needs_a_reason(folder):
    (folder / "referee.py").write_text("LIMIT = 3\nLEAST = 1  # mutants: \n")
    with pytest.raises(BadMark, match=r"^referee.py, line 2: expected a reason after `# mutants:`"):
        mutations.mutations(rule_files(folder), "X", [])


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("slug", "hidden"),
    [
        ("coup", ["deck", "frames", "hands", "rng"]),
        ("honest_rps", []),  # no chance, and each throw is known before the next view
        ("samurai", ["frames", "intimacy"]),
    ],
)
def test_what_a_seat_cannot_know_is_found_by_playing(slug, hidden):
    assert hidden_attributes(game_under_test(load(slug))) == hidden


def only(folder, *words):
    """State a reason against the mutants of all lines of the referee but those with one of these words."""
    lines = (folder / "referee.py").read_text().splitlines()
    kept = [
        line if any(word in line for word in words) or not line else f"{line}  # mutants: no"
        for line in lines
    ]
    (folder / "referee.py").write_text("\n".join(kept) + "\n")


@pytest.mark.slow
def test_survivors_are_named_with_file_line_and_change(author, agon):
    """The author forgets that the scores would betray the lucky number."""
    change(author, "checks.py", "game.scores = [", "_ = [")
    only(author, 'return f"{self.named', "if text not in")
    ran = agon("check-game", "mine", "--mutants", "--json")
    mutants = ran.json["mutants"]
    line = (author / "referee.py").read_text().partition('        return f"{self.named')[0].count("\n") + 1
    assert ran.code == 0
    assert {name: mutants[name] for name in ("made", "judged", "caught")} == {
        "made": 8,
        "judged": 8,
        "caught": 7,
    }
    assert mutants["stated"] > 20
    [survivor] = mutants["survivors"]
    assert (survivor["file"], survivor["line"], survivor["kind"]) == (
        "mine/referee.py",
        line,
        "a secret shown",
    )
    shown = survivor["diff"].splitlines()[1]
    assert shown == ('+        return leaking(f"{self.named[seat]} {self.named[1 - seat]}\\n", self.scores)')


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_new_game_catches_nearly_all_of_its_mutants(author, agon):
    ran = agon("check-game", "mine", "--mutants", "--seconds", 1200)
    assert ran.code == 0
    assert "survives: mine/referee.py, line " in ran.out
    caught, judged = map(int, ran.out.splitlines()[-1].partition(" mutants")[0].split(" of "))
    assert caught >= 0.9 * judged


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_mutant_that_never_ends_is_caught_in_time(author, agon):
    change(
        author,
        "referee.py",
        "        if not self.named:",
        "        left = 3\n        while left > 0:\n            left -= 1\n        if not self.named:",
    )
    only(author, "left -= 1")
    began = time.monotonic()
    ran = agon("check-game", "mine", "--mutants", "--json")
    assert (ran.json["mutants"]["made"], ran.json["mutants"]["caught"]) == (2, 1)
    assert time.monotonic() - began < 300


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_game_that_fails_has_no_mutants(author, agon):
    change(author, "test_rules.py", "== [0, 0]", "== [0, 1]")
    ran = agon("check-game", "mine", "--mutants")
    assert ran.code == 2
    assert "--mutants: the game must pass its own checks first: tests: pytest ended with 1: " in ran.err
    assert "test_equal_numbers_count_nothing" in ran.err
    change(author, "viewer.js", "export default", "export")
    ran = agon("check-game", "mine", "--mutants", "--json")
    assert (ran.code, "mutants" in ran.json) == (1, False)
