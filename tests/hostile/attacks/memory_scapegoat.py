"""Makes itself the last to be killed when memory runs out, so that its parent goes first. Expect: memory"""
import os

def go():
    for value in (-1000, -500, 0):
        try:
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write(str(value))
            break
        except OSError:
            pass
    kept = [bytearray(b"x" * (1 << 20)) for _ in range(2000)]
    return f"{len(kept)} MiB"
