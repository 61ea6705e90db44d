"""Fills shared memory in many processes, shouting all the while. Expect: held, memory, crash, timeout"""
import mmap, os, time

def go():
    if os.fork() == 0:
        while True:
            os.write(2, b"!" * 1000)
    for _ in range(10):
        if os.fork() == 0:
            kept = mmap.mmap(-1, 60 << 20)
            for page in range(0, len(kept), 4096):
                kept[page] = 1
            time.sleep(1000)
    time.sleep(1)
    end = time.monotonic() + 4  # on a busy machine the watcher may need a moment
    while (mib := held()) > 200 and time.monotonic() < end:
        time.sleep(0.1)
    return f"{mib} MiB" if mib > 200 else ""

def held():
    kib = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            with open(f"/proc/{name}/status") as file:
                kib += sum(int(line.split()[1]) for line in file if line.startswith("RssShmem"))
    return kib >> 10
