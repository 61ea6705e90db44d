"""Says one line that does not end. Expect: flood"""
import os

def go():
    os.write(1, b"x" * (64 << 20))
