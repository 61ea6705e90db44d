"""Returns what looks like a move to who compares, and is none. In honest_rps. Expect: held, illegal"""


class Any(str):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("R")

    def __repr__(self):
        return "R" * 10_000_000

    def __str__(self):
        return "S\nS\nS"


def attack(their_past, my_past, their_claim, my_claim):
    return Any("no move at all\nS")
