"""Writes lines without end. Expect: flood"""
import os

def go():
    while True:
        os.write(1, b"\n" * 65536)
