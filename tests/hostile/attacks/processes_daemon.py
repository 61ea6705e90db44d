"""Leaves a daemon that is no process's child and ignores signals. Expect: held"""
import os, signal, time

def go():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            os.close(1)
            time.sleep(1000)
        os._exit(0)
    os.wait()
