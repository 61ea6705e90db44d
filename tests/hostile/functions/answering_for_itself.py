"""Answers through the referee's pipe itself, many rounds at once. In honest_rps. Expect: held, illegal"""

import os


def attack(their_past, my_past, their_claim, my_claim):
    for fd in range(3, 20):
        try:
            os.write(fd, b"R\nP\nS\n" * 50)
        except OSError:
            pass
    return "R"
