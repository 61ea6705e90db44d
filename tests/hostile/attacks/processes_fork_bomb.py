"""Forks as often as it can. Expect: held, crash"""
import os, signal

def go():
    children = []
    try:
        for _ in range(5000):
            pid = os.fork()
            if pid == 0:
                signal.pause()
            children.append(pid)
    except OSError:
        pass
    return f"{len(children)} processes" if len(children) > 40 else ""
