"""Rules and referees. Pure Python: no Django, no processes, no clock, no I/O but reading their own files.

Games stand in this folder. An author may keep games of his own in one more: the environment variable
AGON_GAMES names it, and its games are then imported, listed and played like those here.
"""

import os

if os.environ.get("AGON_GAMES"):
    __path__.append(os.path.abspath(os.environ["AGON_GAMES"]))
