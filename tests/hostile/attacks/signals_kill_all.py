"""Kills and stops whatever it can name: PID 1, its parent, everybody. Expect: held"""
import os, signal, time

def go():
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
        for pid in (1, os.getppid(), *range(2, 300)):
            if pid not in (0, os.getpid()):
                try:
                    os.kill(pid, number)
                except OSError:
                    pass
        try:
            os.kill(-1, number if number != signal.SIGSTOP else 0)
        except OSError:
            pass
