"""What the help of a command ends with: examples, and the exit codes.

Tests run every example, those for a site with ids and names of their own in the place of these
(tests/agon/site/api/test_examples.py), the others as they are (tests/agon/cli/test_examples.py).
"""

SITE = "https://agon.example"
COMPETITION = "spring-cup"
GAME = "my_game"
OF_SITES: dict[str, tuple[str, ...]] = {
    "compare": (f"agon compare --site {SITE} {COMPETITION} 42 41",),
    "login": (f"agon login {SITE}", f"agon login {SITE} --scope read --scope submit"),
    "logout": ("agon logout",),
    "whoami": ("agon whoami", "agon whoami --json"),
    "submit": (
        f'agon submit {COMPETITION} bot.py --bot "My bot"',
        f"agon submit {COMPETITION} bot.py --team Quokkas",
        f"agon submit {COMPETITION} bot.py --check",
        f"agon submit {COMPETITION} bot.py --wait --json",
    ),
    "try": (f"agon try {COMPETITION} bot.py", f"agon try {COMPETITION} bot.py --against Alice --json"),
    "challenge": ("agon challenge Ada Bea --matches 40", "agon challenge 7 8 --json"),
    "connect": (
        f"agon connect bot.py --bot Ada --competition {COMPETITION}",
        "agon connect bot.py --bot Ada --against Alice --matches 4",
        "agon connect --bot Ada --against Alice --no-clock -- python3 -u bot.py",
    ),
    "watch": ("agon watch 42 --until active", "agon watch 42 --until active --json"),
    "status": ("agon status", "agon status 42 --json", 'agon status --format "json(id,row.rank)"'),
    "matches": (
        f"agon matches --competition {COMPETITION} --limit 100",
        'agon matches --bot 7 --state finished --format "csv(id,finished)"',
    ),
    "board": (f"agon board {COMPETITION}", f'agon board {COMPETITION} --format "json(rank,name,rating)"'),
    "rungs": ("agon rungs 7", "agon rungs 7 --json"),
    "logs": ("agon logs 1234", "agon logs 1234 --seat 1"),
    "download": (
        "agon download record 1234",
        "agon download match 1234 -o match.zip",
        "agon download matches 7 -o records",
    ),
    "open": ("agon open", "agon open bots/7"),
    "completion": ("agon completion bash > ~/.local/share/bash-completion/completions/agon",),
}
AT_HOME: dict[str, tuple[str, ...]] = {
    "games": ("agon games", "agon games --json"),
    "play": (
        f"agon play {GAME} bot.py climber",
        f"agon play {GAME} bot.py climber --matches 10 --seed 7 --json",
    ),
    "tournament": (
        f"agon tournament {GAME} bot.py climber starter --rounds 10 --save results",
        f"agon tournament {GAME} bot.py climber --format swiss --seed 7 --json",
    ),
    "compare": (
        f"agon compare {GAME} bot.py old_bot.py",
        f"agon compare {GAME} bot.py old_bot.py --against climber --save tried",
    ),
    "verify": ("agon verify results", "agon verify results --json"),
    "new-game": (f"agon new-game {GAME}", f"agon new-game {GAME} --from open_spiel:connect_four"),
    "check-game": (
        f"agon check-game {GAME} --json",
        f"agon check-game {GAME} --mutants --seconds 10",
        f"agon check-game {GAME} --report report.html --matches 40",
    ),
    "doctor": ("agon doctor", "agon doctor --json"),
    "backup": ("agon backup monday.backup", "agon backup with-keys.backup --with-keys --json"),
    "verify-backup": ("agon verify-backup monday.backup", "agon verify-backup monday.backup --json"),
    "restore": ("agon restore monday.backup", "agon restore monday.backup --json"),
    "upgrade": ("agon upgrade --check", "agon upgrade"),
    "serve": ("agon serve --port 8080",),
}
OF_THE_SITE = ("backup", "verify-backup", "restore", "upgrade", "serve")  # need a site, or its backup
EXAMPLES = OF_SITES | {name: (*lines, *OF_SITES.get(name, ())) for name, lines in AT_HOME.items()}

OF_A_SITE = "Exit codes: 0 done, 1 lost or failed, 2 usage, 3 sign in, 4 refused, 5 try later."
OF_PLAYING = "Exit codes: 0 done, 1 failed, 2 usage, 3 no sandbox works, 130 stopped."
OF_BACKUPS = "Exit codes: 0 done, 1 failed, 2 usage, 130 stopped."
PLAIN = "Exit codes: 0 done, 1 failed, 2 usage."
CODES = {
    "play": OF_PLAYING,
    "tournament": OF_PLAYING,
    "compare": "Exit codes: 0 done, 1 NEW is worse, or failed, 2 usage, 3 no sandbox works, or sign in, 4"
    " refused, 5 try later, 130 stopped.",
    "check-game": OF_PLAYING,
    "doctor": "Exit codes: 0 done, 1 failed, 2 usage, 3 no sandbox works.",
    "backup": OF_BACKUPS,
    "verify-backup": "Exit codes: 0 done, 1 damaged, 2 usage.",
    "restore": OF_BACKUPS,
} | dict.fromkeys(("games", "verify", "new-game", "upgrade", "serve", "completion"), PLAIN)


def epilog_of(command: str) -> str:
    """The end of a command's help."""
    lines = "\n".join(["\b", "Examples:", *(f"  {example}" for example in EXAMPLES[command])])
    return f"{lines}\n\n{CODES.get(command, OF_A_SITE)}"
