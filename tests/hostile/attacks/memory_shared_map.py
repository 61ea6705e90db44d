"""Fills shared anonymous memory. Expect: memory, crash"""
import mmap

def go():
    kept = []
    for _ in range(40):
        kept.append(mmap.mmap(-1, 50 << 20))
        for page in range(0, 50 << 20, 4096):
            kept[-1][page] = 1
    return f"{50 * len(kept)} MiB"
