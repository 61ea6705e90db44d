"""Has the kernel send signals in its name, by the owner of a descriptor. Expect: held"""
import fcntl, os, signal

def go():
    end, far_end = os.pipe()
    for pid in ({1, os.getppid()} - {0}):
        for number in (signal.SIGKILL, signal.SIGSTOP):
            try:
                fcntl.fcntl(end, fcntl.F_SETOWN, pid)
                fcntl.fcntl(end, 10, number)  # F_SETSIG
                fcntl.fcntl(end, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
                os.write(far_end, b"x")
                os.read(end, 10)
            except OSError:
                pass
    with open("/proc/1/stat") as file:
        state = file.read().rpartition(")")[2].split()[0]
    return f"PID 1 is {state}" if state not in "SRD" else ""
