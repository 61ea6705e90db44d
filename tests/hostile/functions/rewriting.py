"""Rewrites the histories and the rules that the adapter keeps. In honest_rps. Expect: held"""

import gc, sys


def attack(their_past, my_past, their_claim, my_claim):
    adapter = sys.modules["agon_game"]
    for thing in gc.get_objects():
        if type(thing).__name__ == "Past":
            thing._true[:] = [["S", "S"]] * len(thing._true)
    adapter.MOVES.update(R="R", P="P", S="S")
    their_past.clear()
    my_past.append(["P", "P"])
    return "R"
