"""Ends the adapter's process in the middle of a call. In honest_rps. Expect: crash"""

import os


def attack(their_past, my_past, their_claim, my_claim):
    if len(my_past) == 3:
        os._exit(0)
    return "R"
