"""Spins. Expect: timeout"""

def go():
    while True:
        pass
