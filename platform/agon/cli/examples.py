"""What the help of commands that speak to a site ends with: examples, and the exit codes.

A test runs every example (tests/agon/site/api/test_examples.py), with ids and names of its own in the place
of these.
"""

from __future__ import annotations

SITE = "https://agon.example"
COMPETITION = "spring-cup"
EXAMPLES: dict[str, tuple[str, ...]] = {
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
    "watch": ("agon watch 42 --until active", "agon watch 42 --until active --json"),
    "status": ("agon status", "agon status 42 --json", 'agon status --format "json(id,row.rank)"'),
    "matches": (
        f"agon matches --competition {COMPETITION} --limit 100",
        'agon matches --bot 7 --state finished --format "csv(id,finished)"',
    ),
    "board": (f"agon board {COMPETITION}", f'agon board {COMPETITION} --format "json(rank,name,rating)"'),
    "logs": ("agon logs 1234", "agon logs 1234 --seat 1"),
    "download": (
        "agon download record 1234",
        "agon download match 1234 -o match.zip",
        "agon download matches 7 -o records",
    ),
    "open": ("agon open", "agon open bots/7"),
    "completion": ("agon completion bash > ~/.local/share/bash-completion/completions/agon",),
}
CODES = "Exit codes: 0 done, 1 lost or failed, 2 usage, 3 sign in, 4 refused, 5 try later."
WITHOUT_CODES = ("completion",)


def epilog_of(command: str) -> str | None:
    """The end of a command's help; None for one that has no examples."""
    if command not in EXAMPLES:
        return None
    lines = "\n".join(["\b", "Examples:", *(f"  {example}" for example in EXAMPLES[command])])
    return lines if command in WITHOUT_CODES else f"{lines}\n\n{CODES}"
