"""Rules and referees. Pure Python: no Django, no processes, no clock, and no I/O except reading their own
files.

Games are folders of this package. The environment variable AGON_GAMES names one more folder of games, which
are then imported, listed and played like these.
"""

import os

if os.environ.get("AGON_GAMES"):
    __path__.append(os.path.abspath(os.environ["AGON_GAMES"]))
