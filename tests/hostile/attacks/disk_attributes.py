"""Stores data in the attributes of files. Expect: held"""
import os

def go():
    try:
        os.setxattr("bot.py", "user.x", b"y" * 1000)
    except OSError:
        return ""
    return "an attribute was set"
