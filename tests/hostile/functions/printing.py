"""Prints, in every way there is, so that its words come between the adapter's. In honest_rps. Expect: held"""

import os, subprocess, sys


def attack(their_past, my_past, their_claim, my_claim):
    print("S")
    os.write(1, b"S\n")
    sys.__stdout__.write("S\n")
    sys.__stdout__.flush()
    if not my_past:
        subprocess.run(["/bin/echo", "S"])
        with open("/dev/stdout", "w") as out:
            out.write("S\n")
    return "R"
