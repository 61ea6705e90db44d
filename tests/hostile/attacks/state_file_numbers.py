"""Makes so many files that the number of one that its next match makes tells it something. Expect: held"""
import os

def go():
    for _ in range(40_000):
        os.close(os.open("/box/work/counted", os.O_WRONLY | os.O_CREAT))
        os.unlink("/box/work/counted")
