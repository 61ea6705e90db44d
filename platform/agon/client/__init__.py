"""A site of Agon, for scripts and for the command line.

from agon.client import Site

site = Site("https://agon.example", token="agon_...")
submission = site.submit("my-competition", "My bot", "bot.py")
for submission in site.follow(submission["id"]):
    print(submission["state"])
"""

from agon.client.answers import (
    Ask,
    Bot,
    Challenge,
    Comparison,
    Line,
    ListedBot,
    Login,
    Match,
    Row,
    Submission,
    Trial,
)
from agon.client.errors import SiteError
from agon.client.site import Site

__all__ = [
    "Ask",
    "Bot",
    "Challenge",
    "Comparison",
    "Line",
    "ListedBot",
    "Login",
    "Match",
    "Row",
    "Site",
    "SiteError",
    "Submission",
    "Trial",
]
