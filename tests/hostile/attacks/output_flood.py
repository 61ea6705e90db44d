"""Writes without end. Expect: flood"""
import os
from hostile import attack

def go():
    while True:
        os.write(1, b"x" * 65536)

attack(go)
