"""Closes every descriptor and sleeps. Expect: crash"""
import os, time

def go():
    os.closerange(0, 1000)
    time.sleep(1000)
