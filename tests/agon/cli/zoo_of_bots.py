"""Games whose bots are not what they say: see zoo.py."""

from .zoo import Broken, of_file

# What only bots in the sandbox show; none of these hides another, so that all can be in one game.
TOGETHER = (
    of_file(
        "an illegal starter",
        "house_bots_play",
        "seed 0, Climber - Starter: Starter in seat 2: illegal at step 1: "
        "round 1: expected a number from 1 to 5, got '14'",
        "bots/starter.py",
        "return min(",
        "return 9 + min(",
    ),
    of_file(
        "another fate",
        "bots_meet_their_fates",
        "dies in round 4: expected the fault timeout, got crash at step 4: round 4: ",
        "fates.toml",
        'required = ["crash"]',
        'required = ["timeout"]',
    ),
    of_file(
        "another reason",
        "bots_meet_their_fates",
        "never ready: expected a fault whose reason has 'expected a word', got start",
        "fates.toml",
        '"expected a line READY"',
        '"expected a word"',
    ),
    of_file(
        "other scores",
        "bots_meet_their_fates",
        "equals: expected the scores 1, 0, got 0, 0",
        "fates.toml",
        '["0", "0"]',
        '["1", "0"]',
    ),
)
ALONE = (
    of_file(
        "a starter that crashes",
        "house_bots_play",
        "\n    ZeroDivisionError: integer division or modulo by zero",
        "bots/starter.py",
        "return min(",
        "return 1 // 0 + min(",
    ),
    of_file(
        "a starter that is no program",
        "house_bots_build",
        "Starter: ",
        "bots/starter.py",
        "theirs = []",
        "theirs = [",
    ),
    of_file(
        "another language",
        "house_bots_build",
        "Climber: game.toml declares perl, but its files are bash",
        "game.toml",
        'language = "bash"',
        'language = "perl"',
    ),
    Broken(
        "a referee that breaks down only among real bots",
        "house_bots_play",
        "seed 0, Climber - Starter: referee.py, line 42, in play: TypeError: ",
        (
            ("referee.py", "return _NUMBERS[text]", "return {**_NUMBERS, '3': None}[text]"),
            ("checks.py", "rng.randint(1, HIGHEST)", "rng.randint(1, 2)"),
        ),
    ),
)
