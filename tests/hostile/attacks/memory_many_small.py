"""Many processes, each below the limit, together far beyond. Expect: held, memory, crash, timeout"""
import os, time

def go():
    for _ in range(25):
        if os.fork() == 0:
            kept = bytearray(50 << 20)
            for page in range(0, len(kept), 4096):
                kept[page] = 1
            time.sleep(1000)
    time.sleep(1)
    return "" if len(os.listdir("/proc")) else "gone"
