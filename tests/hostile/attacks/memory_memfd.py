"""Fills files in memory that show in no process's size. Expect: held, memory, crash"""
import os

def go():
    files, block = [], bytes(1 << 20)
    try:
        for number in range(100):
            files.append(os.memfd_create(str(number)))
            for _ in range(10):
                os.write(files[-1], block)
    except OSError:
        return f"{10 * len(files)} MiB" if len(files) > 20 else ""
    return "1000 MiB"
