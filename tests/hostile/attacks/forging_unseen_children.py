"""Uses the processor in children that end without being counted as anybody's. Expect: timeout"""
import mmap, os, signal, time

def go():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for them: their time is added to no parent's
    used = mmap.mmap(-1, 8 * 16)
    slots = memoryview(used).cast("q")
    for slot in range(8):
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            while True:
                try:
                    if os.fork() == 0:
                        begun = time.process_time_ns()
                        while time.process_time_ns() - begun < 20_000_000:
                            pass
                        slots[slot] += 20_000_000
                        os._exit(0)
                    os.wait()
                except OSError:
                    pass
    while sum(slots[:8]) < 4_000_000_000:  # four times what is allowed
        pass
    return "used four seconds"
