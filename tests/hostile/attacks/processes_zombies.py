"""Ends processes without ever asking for their end. Expect: held, crash"""
import os

def go():
    made = 0
    try:
        for made in range(5000):
            if os.fork() == 0:
                os._exit(0)
    except OSError:
        pass
    return f"{made} dead processes" if made > 40 else ""
