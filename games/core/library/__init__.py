"""Games of other libraries, driven as games of ours: `agon new-game SLUG --from open_spiel:connect_four`.

referee.py is what all have in common: how bots are asked, how moves are judged, what a replay shows. Each
library has a module of its name here, which alone imports it; what `folder/` holds becomes the game's folder.

- **Chance** is drawn from the match's seed, never by a library that can say what may happen (chance.py). One
  that draws by itself is given a seed from ours.
- **A seat** is sent what the library says that this player sees, and its legal moves; nothing else.
- **The library's version** is part of the game's version (versions.py), so that a record never replays
  with another one unnoticed.
"""
