"""Writes a hundred MiB to its standard error. Expect: held"""
import os
from hostile import attack

def go():
    for _ in range(1600):
        os.write(2, b"e" * 65536)

attack(go)
