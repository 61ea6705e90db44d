"""Broken games: each is a new one of `agon new-game` with one fault, and what must be said of it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Broken(NamedTuple):
    """A fault. edits: (file, its words, those in their place); no words: a new file; None in place: no file.

    check: the check that names it. words: of the sentence.
    """

    name: str
    check: str
    words: str
    edits: tuple[tuple[str, str, str | None], ...]

    def plant(self, folder: Path) -> None:
        for file, old, new in self.edits:
            path = folder / file
            if new is None:
                path.unlink()
                continue
            text = path.read_text(encoding="utf-8") if old else ""
            assert old in text, (self.name, file)
            path.write_text(text.replace(old, new) if old else new, encoding="utf-8")


def _referee(name: str, check: str, words: str, *edits: tuple[str, str]) -> Broken:
    return Broken(name, check, words, tuple(("referee.py", old, new) for old, new in edits))


def of_file(name: str, check: str, words: str, file: str, old: str, new: str | None) -> Broken:
    return Broken(name, check, words, ((file, old, new),))


_AT_ALL = "honest_matches_end_without_faults"
_MOVES = "garbage_is_judged_in_words"
_SECRETS = "hidden_facts_do_not_change_views"
_FRAMES = "frames_are_small_and_final"
_FOLDER = "the_folder_is_complete"
_PUBLIC = '"""What spectators see."""\n\n\ndef public(frame):\n    return dict(frame)\n'
_STORY = (
    "from games.core.story import Scene\n\n\ndef tell(log):\n"
    '    return [Scene("Round %(number)s", {"round": 1}, [])]\n'
)
_MOMENTS = "def moments(log):\n    return []\n\n\ndef standings(log):\n    return [[0, 0]]\n"

# What is found without a sandbox.
STATIC = (
    of_file(
        "a limit with a unit",
        "manifest",
        "limits: turn_ms: expected a whole number from 1 to 600000, got '1s'",
        "game.toml",
        "turn_ms = 1000",
        'turn_ms = "1s"',
    ),
    of_file(
        "a policy too few",
        "manifest",
        "mine/game.toml: faults: memory: missing",
        "game.toml",
        'memory = "retire"',
        "",
    ),
    of_file(
        "another version",
        "code",
        "describes mine version 2, referee.py has mine version 1",
        "game.toml",
        'version = "1"',
        'version = "2"',
    ),
    of_file(
        "no adapter",
        "code",
        "adapter.py is missing; a game whose channel is function needs one",
        "game.toml",
        '"stdio"',
        '"function"',
    ),
    _referee("no Python", "code", "referee.py, line 47: SyntaxError: ", ("def view(self,", "def view(self")),
    _referee(
        "another class",
        "code",
        "referee: no Game named Referee in referee.py",
        ("class Referee(", "class Umpire("),
    ),
    of_file(
        "no word on symmetry",
        "code",
        "games/mine/checks.py: SYMMETRIC is missing",
        "checks.py",
        "SYMMETRIC = True",
        "",
    ),
    of_file(
        "a fate of no kind",
        "fates",
        "mine/fates.toml: fates[1]: required[0]: expected start or timeout or crash or",
        "fates.toml",
        '["start"]',
        '["strat"]',
    ),
    of_file(
        "no viewer",
        _FOLDER,
        "viewer.js: expected `export default function view(element, log, language)`",
        "viewer.js",
        "export default",
        "export",
    ),
    of_file("no rules", _FOLDER, "there is no rules.en.md", "rules.en.md", "", None),
    of_file(
        "a limit as a number",
        _FOLDER,
        "rules.en.md: expected {{ memory_mib }}, which bots must know",
        "rules.en.md",
        "{{ memory_mib }}",
        "256",
    ),
    of_file(
        "an unknown place",
        _FOLDER,
        "rules.en.md: {{ turn_seconds }} stands for nothing; there are ",
        "rules.en.md",
        "{{ turn_s }}",
        "{{ turn_seconds }}",
    ),
    of_file(
        "the strongest first",
        _FOLDER,
        "expected the weakest house bot first, got strengths 3, 2",
        "game.toml",
        "strength = 1",
        "strength = 3",
    ),
    of_file("no bot", _FOLDER, "Climber: no file gone.sh", "game.toml", "bots/climber.sh", "bots/gone.sh"),
    _referee(
        "a misspelled method",
        _AT_ALL,
        "referee.py, line 41, in play: AttributeError: 'list' object has no "
        "attribute 'cont' (seed 0, before the first answer)",
        ("self.named.count(named)", "self.named.cont(named)"),
    ),
    _referee(
        "no end",
        _AT_ALL,
        "seed 0: no end in sight after 10000 steps",
        ("in range(1, ROUNDS + 1)", "in iter(int, 1)"),
    ),
    _referee(
        "a legal move refused",
        _AT_ALL,
        "a legal reply was refused",
        ("range(1, HIGHEST + 1)}", "range(2, HIGHEST + 1)}"),
    ),
    _referee(
        "points that are no exact numbers",
        _AT_ALL,
        "scores are int or Fraction, never ",
        ("return self.scores", "return [score / 2 for score in self.scores]"),
    ),
    _referee(
        "one score too few",
        _AT_ALL,
        "expected 2 scores, got 1",
        ("return self.scores", "return self.scores[:1]"),
    ),
    of_file(
        "no room for answers",
        "legal_answers_are_far_below_the_longest",
        "answer_bytes: 1; a legal answer has 1 bytes",
        "game.toml",
        "answer_bytes = 256",
        "answer_bytes = 1",
    ),
    _referee(
        "chance outside the seed",
        "equal_matches_are_equal",
        "seed 0 played twice: ",
        (
            "from __future__ import annotations\n",
            "from __future__ import annotations\n\nfrom time import monotonic_ns\n",
        ),
        ("self.rng.randint(1, HIGHEST)", "monotonic_ns()"),
    ),
    _referee(
        "a match that remembers the last one",
        "records_replay",
        "replayed",
        ('    version = "1"\n', '    version = "1"\n    played: set[int] = set()\n'),
        (
            "        self.named: list[int] = []\n",
            "        self.named: list[int] = []\n        self.before = len(self.played)\n",
        ),
        (
            "        return self.scores\n",
            "        self.played |= {id(self)} if len(self.frames) == 10 else set()\n"
            "        return self.scores\n",
        ),
        ('return {"lucky": self.lucky}', 'return {"lucky": self.lucky, "before": self.before}'),
    ),
    _referee(
        "a move carried out twice",
        "judging_a_move_changes_nothing",
        "judging moves changed the frames",
        (
            "        text = str(raw).strip()\n",
            "        text = str(raw).strip()\n        self.frame(text=text)\n",
        ),
    ),
    _referee(
        "garbage that is not expected",
        "judging_a_move_changes_nothing",
        "instead of Illegal",
        ("if text not in _NUMBERS:", "if not int(text):"),
    ),
    _referee(
        "a reason without a sentence",
        _MOVES,
        "no sentence for 'no_such' in the game's reasons",
        ('Illegal("no_number"', 'Illegal("no_such"'),
    ),
    _referee("a reason without a value", _MOVES, "has other placeholders than", ("most=HIGHEST, ", "")),
    _referee(
        "no default",
        "faults_at_any_ask_end_with_a_result",
        "mine: the ask 'number' needs a default, for policy (seed 0, before the first answer)",
        (", default=1", ""),
    ),
    Broken(
        "a forfeit that pays",
        "faults_at_any_ask_end_with_a_result",
        "forfeited and is not behind seat",
        (
            ("game.toml", 'crash = "retire"', 'crash = "forfeit"'),
            (
                "referee.py",
                "    def position(self)",
                "    def forfeited(self, seats):\n        return [0, 0]\n\n    def position(self)",
            ),
        ),
    ),
    Broken(
        "nobody to share among",
        "bots_that_never_start_leave_a_result",
        "ZeroDivisionError",
        (
            ("game.toml", 'start = "retire"', 'start = "forfeit"'),
            (
                "referee.py",
                "    def position(self)",
                "    def forfeited(self, seats):\n        share = 12 // (2 - len(seats))\n"
                "        return [0 if seat in seats else share for seat in range(2)]\n\n"
                "    def position(self)",
            ),
        ),
    ),
    of_file(
        "a story without a value",
        "every_match_can_be_told",
        "story.py: 'Round %(number)s' has other placeholders",
        "story.py",
        "",
        _STORY,
    ),
    _referee(
        "a secret in a view",
        _SECRETS,
        "seed 0, step 1: the view of seat 0 shows what it must not know",
        ("self.named[1 - seat]}", "self.named[1 - seat]} {self.lucky}"),
    ),
    _referee(
        "a secret in a view by way of the frames",
        _SECRETS,
        "shows draws to come, or what is in frames",
        ("self.named[1 - seat]}", "self.named[1 - seat]} {self.frames[-1].get('scores')}"),
    ),
    _referee(
        "the next draw in a view",
        _SECRETS,
        "shows draws to come, or what is in frames",
        ("self.named[1 - seat]}", "self.named[1 - seat]} {hash(self.rng.getstate())}"),
    ),
    of_file(
        "a secret for spectators",
        "running_matches_show_what_every_seat_knows",
        "public.py shows what seat 0 must not know",
        "public.py",
        "",
        _PUBLIC,
    ),
    Broken(
        "a standing too few",
        "running_matches_can_be_shown",
        "moments.py: expected 2 standings of frames, got 1",
        (
            ("public.py", "", _PUBLIC.replace("dict(frame)", '{**frame, "scores": []}')),
            ("moments.py", "", _MOMENTS),
        ),
    ),
    _referee(
        "a view without an end of line",
        "views_fit_the_channel",
        "expected lines that end with a newline",
        ('{self.named[1 - seat]}\\n"', '{self.named[1 - seat]}"'),
    ),
    _referee(
        "a NUL in a view",
        "views_fit_the_channel",
        "a view holds a NUL",
        ("{self.named[1 - seat]}", "{self.named[1 - seat]}\\0"),
    ),
    _referee(
        "frames that change",
        _FRAMES,
        "seed 0: frame 0 was changed after it was made",
        ("scores=list(self.scores)", "scores=self.scores"),
    ),
    _referee(
        "frames that are too large",
        _FRAMES,
        "seed 0: frame 0 has ",
        ("scores=list(self.scores)", 'scores=list(self.scores), big="x" * 5000'),
    ),
    _referee(
        "a seat that has an advantage",
        "seats_are_alike",
        "bots [",
        ("self.scores = [0] * seats", "self.scores = [5, 0]"),
    ),
)
