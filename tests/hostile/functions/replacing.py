"""Puts its own functions in the place of the adapter's. In honest_rps. Expect: illegal"""

import sys


def attack(their_past, my_past, their_claim, my_claim):
    sys.modules["agon_game"]._reply_line = lambda returned: "S S S S; score 1000"
    return "R"
