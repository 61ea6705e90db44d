"""Fills the folder with files that have no name any more. Expect: held"""
import os

def go():
    written, kept, block = 0, [], bytes(1 << 20)
    try:
        for number in range(100):
            kept.append(os.open("/box/work", os.O_TMPFILE | os.O_RDWR))
            for _ in range(5):
                written += os.write(kept[-1], block)
    except OSError:
        pass
    return f"{written >> 20} MiB" if written > 17 << 20 else ""
