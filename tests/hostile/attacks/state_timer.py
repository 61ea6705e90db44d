"""Arranges to be woken after its end: timers, signals on descriptors, a lock on its files. Expect: held"""
import fcntl, os, signal

def go():
    signal.setitimer(signal.ITIMER_REAL, 60)
    fcntl.flock(os.open("/bot/bot.py", os.O_RDONLY), fcntl.LOCK_EX)
    watched = os.open("/box", os.O_RDONLY)
    try:
        fcntl.fcntl(watched, fcntl.F_NOTIFY, fcntl.DN_CREATE | fcntl.DN_MULTISHOT)
    except OSError:
        pass
    signal.signal(signal.SIGIO, signal.SIG_IGN)
