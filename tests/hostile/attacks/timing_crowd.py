"""Has as many processes spin as it may, so that no watcher can be started. Expect: timeout, crash"""
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
