"""Reads the referee's pipe ahead, for what it is not to know yet. In honest_rps. Expect: held, timeout, illegal"""

import os, sys

calls = 0


def attack(their_past, my_past, their_claim, my_claim):
    global calls
    calls += 1
    for fd in range(3, 20):
        try:
            os.set_blocking(fd, False)
            if os.read(fd, 1000):
                print("FOUND more than was said", file=sys.stderr)
        except OSError:
            pass
        try:
            os.set_blocking(fd, True)
        except OSError:
            pass
    return "R"
