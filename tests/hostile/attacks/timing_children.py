"""Has children spin while it sleeps itself. Expect: timeout"""
import os, time

def go():
    for _ in range(6):
        if os.fork() == 0:
            while True:
                pass
    time.sleep(1000)
