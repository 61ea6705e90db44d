"""Many processes, each below the limit, together far beyond. Expect: held, memory, crash, timeout"""
import os, time
from hostile import attack

def go():
    for _ in range(25):
        if os.fork() == 0:
            kept = bytearray(50 << 20)
            for page in range(0, len(kept), 4096):
                kept[page] = 1
            time.sleep(1000)
    time.sleep(2)
    return "" if len(os.listdir("/proc")) else "gone"

attack(go)
