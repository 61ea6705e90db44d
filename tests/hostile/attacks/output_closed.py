"""Closes every descriptor and sleeps. Expect: crash"""
import os, time
from hostile import attack

def go():
    os.closerange(0, 1000)
    time.sleep(1000)

attack(go)
