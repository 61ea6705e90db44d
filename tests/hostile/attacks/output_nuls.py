"""Answers with NULs and bytes that are no text. Expect: garbage"""
import os

def go():
    os.write(2, bytes(range(256)) * 100)
    os.write(1, b"\0" * 1000 + b"\xff\xfe\xc3(\0\r\n")
    os._exit(0)
