"""Fills private mappings, reserved without being counted. Expect: memory, crash"""
import mmap

def go():
    kept = []
    for _ in range(40):
        kept.append(mmap.mmap(-1, 50 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000 | 0x8000))
    return f"{50 * len(kept)} MiB"
