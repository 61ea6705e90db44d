"""Sleeps, again and again for a moment. Expect: timeout"""
import time

def go():
    while True:
        time.sleep(0.001)
