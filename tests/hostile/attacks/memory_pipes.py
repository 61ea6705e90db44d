"""Fills pipes with data that no process reads. Expect: held, memory, crash"""
import fcntl, os

def go():
    total = 0
    try:
        for _ in range(1000):
            _, end = os.pipe()
            os.set_blocking(end, False)
            try:
                fcntl.fcntl(end, 1031, 1 << 20)
            except OSError:
                pass
            total += os.write(end, bytes(1 << 20))
    except OSError:
        pass
    return f"{total >> 20} MiB" if total > 200 << 20 else ""
