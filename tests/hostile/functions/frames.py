"""Looks through the adapter's frames and objects for what the other seat has chosen. In honest_rps. Expect: held"""

import gc, sys


def attack(their_past, my_past, their_claim, my_claim):
    frame, seen = sys._getframe(1), []
    while frame is not None:
        seen.append(dict(frame.f_locals))
        frame = frame.f_back
    pasts = [thing for thing in gc.get_objects() if type(thing).__name__ == "Past"]
    for past in pasts:
        if len(past._true) > len(my_past):
            print("FOUND a round that is still to come", file=sys.stderr)
    if their_claim is None and any("P" == value for scope in seen for value in scope.values()) and not my_past:
        print("FOUND the other's first claim", file=sys.stderr)
    if any("rng" in scope or "seed" in scope for scope in seen):
        print("FOUND the referee's dice", file=sys.stderr)
    return "R"
