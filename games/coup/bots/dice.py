"""Dice: any legal move, each as likely as the others.

It lies, blocks and challenges without a thought, which is what every other bot should be
able to punish. The dice are loaded from what it sees, so a match can be played again.
"""

import random
import sys

path, *seen = sys.argv[1:]
cards, moves = seen[2], seen[3:]
with open(path) as file:
    history = file.read()
dice = random.Random(history + "|" + " ".join(seen))

with open(path, "a", newline="") as file:
    file.write(dice.choice(moves))
if len(cards) > 2:
    print("".join(dice.sample(cards, len(cards) - 2)))
