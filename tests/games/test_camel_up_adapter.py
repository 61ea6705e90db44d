"""The adapter calls move(player, gamestate) as the original runner did, with the original's shapes."""

import hashlib
import json

import pytest

from tests.games.beside import conversation

STATE = {
    "turn": 6,
    "player": 1,
    "camel_track": [[], [2, 0], [], [4, 3, 1]] + [[]] * 25,
    "trap_track": [[]] * 5 + [[-1, 2]] + [[]] * 23,
    "player_has_placed_trap": [False, False, True, False],
    "round_bets": [[3, 0]],
    "game_winner_bets": [[None, 0], [4, 1]],
    "game_loser_bets": [[2, 1]],
    "player_game_bets": [[None], [4, 2], [], []],
    "player_money_values": [2, 5, 1, 3],
    "camel_yet_to_move": [True, True, False, True, True],
}
LINE = json.dumps(STATE)


@pytest.fixture
def talk(tmp_path):
    return lambda source, file="bot.py": conversation("camel_up", source, tmp_path, file)


def returning(expression):
    return f"def move(player, g):\n    return {expression}\n"


def test_the_original_example_plays(talk):
    source = """
        import math, random
        from playerinterface import PlayerInterface
        class Player1(PlayerInterface):
            def move(player,g):
                if min(g.player_money_values) == g.player_money_values[player]:
                    return [2,random.randint(0,len(g.camels)-1)]
                return [1,math.floor(2*random.random())*2-1,random.randint(1,10)]
    """
    poorest = json.dumps(STATE | {"player": 2})
    with talk(source) as bot:
        assert bot.ready == "READY"
        kind, trap, square = json.loads(bot.ask(LINE)[0])
        assert kind == 1
        assert trap in (-1, 1)
        assert 1 <= square <= 10
        kind, camel = json.loads(bot.ask(poorest)[0])
        assert kind == 2
        assert 0 <= camel <= 4
        assert bot.end() == 0


def test_the_state_has_the_fields_and_shapes_of_the_rules_page(talk):
    source = """
        import json
        def move(player, g):
            print(json.dumps([player, vars(g)]))
            return [0]
    """
    with talk(source) as bot:
        assert bot.ask(LINE) == ["[0]"]
        bot.end()
    player, shown = json.loads(bot.words)
    assert player == 1
    plain = ["camel_track", "trap_track", "player_has_placed_trap", "round_bets"]
    plain += ["player_money_values", "camel_yet_to_move"]
    assert {name: shown[name] for name in plain} == {name: STATE[name] for name in plain}
    assert (shown["camels"], shown["active_game"], shown["game_winner"]) == ([0, 1, 2, 3, 4], True, [])
    assert set(shown) == set(STATE) - {"turn", "player"} | {"camels", "active_game", "game_winner"}


def camel_of(token):
    """As every real bot does it: split at the colon and try five camels."""
    hashed, salt = token.split(":")
    return [camel for camel in range(5) if hashlib.sha256(f"{salt}{camel}".encode()).hexdigest() == hashed]


def test_own_game_bets_are_salted_hashes_and_the_others_none(talk):
    source = """
        import json
        def move(player, g):
            print(json.dumps([g.game_winner_bets, g.game_loser_bets, g.player_game_bets]))
            return [0]
    """
    with talk(source) as bot:
        bot.ask(LINE, LINE)
        bot.end()
    first, again = (json.loads(line) for line in bot.words.splitlines())
    assert first == again
    winners, losers, players = first
    assert winners[0] == [None, 0]
    assert (camel_of(winners[1][0]), winners[1][1]) == ([4], 1)
    assert (camel_of(losers[0][0]), losers[0][1]) == ([2], 1)
    assert players[0] == [None]
    assert [camel_of(token) for token in players[1]] == [[4], [2]]
    assert players[2:] == [[], []]
    salts = [token.split(":")[1] for token in (winners[1][0], losers[0][0], *players[1])]
    assert len(set(salts)) == 4


def test_editing_the_state_changes_nothing(talk):
    source = """
        def move(player, g):
            assert g.camel_track[3] == [4, 3, 1]
            assert g.player_money_values == [2, 5, 1, 3]
            assert g.camels == [0, 1, 2, 3, 4]
            g.camel_track[3].clear(); g.player_money_values[player] = 99; g.camels.pop(); del g.trap_track
            return [0]
    """
    with talk(source) as bot:
        assert bot.ask(LINE, LINE) == ["[0]", "[0]"]


def test_a_state_can_be_copied_and_played_on(talk):
    source = """
        import copy
        def move(player, g):
            mine = copy.deepcopy(g)
            mine.camel_track[3].append(9)
            mine.player_money_values[player] += 1
            assert (g.camel_track[3], g.player_money_values[player]) == ([4, 3, 1], 5)
            assert vars(copy.copy(g)) == vars(g)
            return [0]
    """
    with talk(source) as bot:
        assert bot.ask(LINE) == ["[0]"]


@pytest.mark.parametrize(
    "source",
    [
        "def move(player, g):\n    return [2, 3]",
        "class Any:\n    def move(player, g):\n        return [2, 3]",
        "class Any:\n    @staticmethod\n    def move(player, g):\n        return [2, 3]",
        "class Any:\n    @classmethod\n    def move(cls, player, g):\n        return [2, 3]",
        "class Any:\n    def move(player, g, depth=3):\n        return [2, 3]",
        "from playerinterface import PlayerInterface\n"
        "class Board:\n    def move(self, camel, die):\n        return None\n"
        "class Mine(PlayerInterface):\n    def move(player, g):\n        return [2, 3]",
        "from playerinterface import PlayerInterface\n"
        "class Base(PlayerInterface):\n    def move(player, g):\n        return [0]\n"
        "class Mine(Base):\n    def move(player, g):\n        return [2, 3]",
        "from playerinterface import PlayerInterface\n"
        "def move(track, die):\n    return None\n"
        "class Mine(PlayerInterface):\n    def move(player, g):\n        return [2, 3]",
        "class Board:\n    def move(self, camel, die):\n        return None\n"
        "def move(player, g):\n    return [2, 3]",
        "import playerinterface\n"
        "class One(playerinterface.PlayerInterface):\n    def move(player, g):\n        return [0]\n"
        "class bot(playerinterface.PlayerInterface):\n    def move(player, g):\n        return [2, 3]",
    ],
)
def test_the_class_or_the_function_that_plays_is_found(talk, source):
    with talk(source) as bot:
        assert bot.ready == "READY"
        assert bot.ask(LINE) == ["[2, 3]"]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("", "there is neither"),
        ("class A:\n    def go(player, g):\n        return [0]", "there is neither"),
        (
            "from playerinterface import PlayerInterface\n"
            "class Mine(PlayerInterface):\n    def Move(player, g):\n        return [0]",
            "there is neither",
        ),
        (
            "class A:\n    def move(player, g):\n        return [0]\n"
            "class B:\n    def move(player, g):\n        return [0]",
            "there are 2 such classes (A, B): "
            "copy the file under the name of the one that plays, such as A.py",
        ),
        (
            "from playerinterface import PlayerInterface\n"
            + "".join(
                f"class Player{n}(PlayerInterface):\n    def move(player, g):\n        return [0]\n"
                for n in range(3)
            ),
            "there are 3 such classes (Player0, Player1, Player2): "
            "copy the file under the name of the one that plays, such as Player0.py",
        ),
    ],
)
def test_a_file_without_one_is_refused_in_words(talk, source, found):
    with talk(source) as bot:
        words = "expected one class with move(player, gamestate), or a function move"
        assert bot.ready == f"bot.py\tmissing\t{words}; {found}"
        assert bot.end() == 1


@pytest.mark.parametrize(
    ("source", "signature"),
    [
        ("def move(g): return [0]", "move(g)"),
        ("def move(): return [0]", "move()"),
        ("class Any:\n    def move(self, player, g):\n        return [0]", "move(self, player, g)"),
        (
            "class Any:\n    @classmethod\n    def move(cls, a, b, c):\n        return [0]",
            "move(cls, a, b, c)",
        ),
    ],
)
def test_a_move_of_another_number_of_arguments_is_refused(talk, source, signature):
    with talk(source) as bot:
        assert bot.ready == f"bot.py\tcalled\tmove\t2\t{signature}"
        assert bot.end() == 1


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("(2, 3)", "[2, 3]"),
        ("[0, object(), 'surplus', 4]", None),
        ("[1, -1, 5, 6, 7]", "[1, -1, 5]"),
        ("[True]", "[true]"),
        ("[2, 1.0]", "[2, 1.0]"),
        ("[2, float('nan')]", "[2, NaN]"),
        ("['2', '3']", "[\"'2'\", \"'3'\"]"),
        ("[2, None]", '[2, "None"]'),
        ("[]", "[]"),
        ("None", "returned None"),
        ("0", "returned 0"),
        ("'[0]'", "returned '[0]'"),
        ("{0}", "returned {0}"),
        ("[2, [3]]", '[2, "[3]"]'),
        ("[__import__('enum').IntEnum('Kind', 'A B').B, 3]", "[2, 3]"),
        (
            "g.nonsense",
            "raised\tAttributeError: 'GameState' object has no attribute 'nonsense'\tbot.py\t2",
        ),
        ("1 / 0", "raised\tZeroDivisionError: division by zero\tbot.py\t2"),
        ("__import__('sys').exit()", "raised\tSystemExit\tbot.py\t2"),
        ("[2, 10 ** 900]", "[2, 1" + "0" * 900 + "]"),
        ("[2, -10 ** 5000]", '[2, "a number of 16610 bits"]'),
        ("[2, 3 + 0j]", '[2, "(3+0j)"]'),
        ("(n for n in [0])", "returned <generator object"),
    ],
)
def test_what_is_returned_becomes_a_line_for_the_referee_to_judge(talk, returned, said):
    with talk(returning(returned)) as bot:
        [answer] = bot.ask(LINE)
        if said is None:
            assert json.loads(answer)[0] == 0
        elif "object" in said:
            assert answer.startswith(said)
        else:
            assert answer == said


def test_a_bot_that_was_wrong_plays_on(talk):
    source = """
        turns = 0
        def move(player, g):
            global turns
            turns += 1
            print("turn", turns)
            return [0] if turns > 1 else 1 / 0
    """
    with talk(source) as bot:
        assert bot.ask(LINE, LINE) == [
            "raised\tZeroDivisionError: division by zero\tbot.py\t7",
            "[0]",
        ]
        bot.end()
    assert bot.words.startswith("turn 1\nTraceback")
    assert bot.words.endswith("turn 2\n")
