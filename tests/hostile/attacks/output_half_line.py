"""Says half a line and waits. Expect: timeout"""
import os, time
from hostile import attack

def go():
    os.write(1, b"half")
    time.sleep(1000)

attack(go)
