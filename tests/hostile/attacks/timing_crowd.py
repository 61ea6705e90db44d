"""Has as many processes spin as it may, so that nobody can be started to watch it. Expect: timeout, crash"""
import os

def go():
    try:
        for _ in range(100):
            if os.fork() == 0:
                break
    except OSError:
        pass
    while True:
        pass
