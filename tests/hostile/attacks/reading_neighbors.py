"""Looks for processes that are not its own. Expect: held"""
import os
from hostile import mine

def go():
    strange = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read()
            if b"agent" not in words and b"bot.py" not in words:
                strange.append(words)
    return f"{strange} {mine()}" if strange or mine() else ""
