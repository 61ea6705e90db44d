"""Gives its group in the processor's schedule another priority, which its next match can read. Expect: held"""

def go():
    try:
        with open("/proc/self/autogroup", "w") as file:
            file.write("7")
    except OSError:
        pass
