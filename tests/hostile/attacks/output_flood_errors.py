"""Writes a hundred MiB to its standard error. Expect: held"""
import os

def go():
    for _ in range(1600):
        os.write(2, b"e" * 65536)
