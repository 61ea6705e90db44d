"""Fills memory. Expect: memory"""

def go():
    kept = [bytearray(1 << 20) for _ in range(2000)]
    return f"{len(kept)} MiB"
