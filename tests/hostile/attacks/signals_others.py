"""Signals every process number there can be, in every way there is. Expect: held"""
import ctypes, os, signal
from hostile import call, facts, on, syscall

def go():
    reached, information = [], (ctypes.c_int * 32)(signal.SIGTERM, 0, -2)
    def ways(pid):
        yield lambda: os.kill(pid, 0)
        yield lambda: os.kill(-pid, 0)
        yield lambda: syscall(on(200, 130), pid, 0)
        yield lambda: syscall(on(234, 131), pid, pid, 0)
        yield lambda: syscall(on(129, 138), pid, signal.SIGTERM, information)
        yield lambda: os.kill(pid, signal.SIGTERM)
        yield lambda: signal.pidfd_send_signal(os.pidfd_open(pid), 0)
    own = {os.getpid(), os.getpgid(0)}
    for pid in {1, os.getppid(), facts()["worker"], *range(2, 400), 32000} - {0} - own:
        for number, way in enumerate(ways(pid)):
            try:
                way()
                reached.append((pid, number))
            except OSError:
                pass
    # PID 1 of its namespaces, or the agent: it can be asked for, but nothing reaches it.
    real = [pair for pair in reached if pair[0] != 1]
    os.kill(os.getpid(), 0)
    return f"reached {real}" if real else ""
