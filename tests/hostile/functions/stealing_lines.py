"""Has a thread take the referee's lines before the adapter gets them. In honest_rps. Expect: timeout, illegal, crash"""

import os, threading


def steal():
    while True:
        for fd in range(3, 20):
            try:
                os.read(fd, 1)
            except OSError:
                pass


def attack(their_past, my_past, their_claim, my_claim):
    if len(my_past) == 2 and threading.active_count() == 1:
        threading.Thread(target=steal, daemon=True).start()
    return "R"
