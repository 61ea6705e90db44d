"""Says half a line and waits. Expect: timeout"""
import os, time

def go():
    os.write(1, b"half")
    time.sleep(1000)
