"""Registers whatever is run at an end, a fork, a signal, in a thread; ends by every door. Expect: held"""
import atexit, os, signal, sys, threading, weakref

def go():
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, lambda *_: os.fork())
    atexit.register(lambda: os.write(1, b"forged\n"))
    os.register_at_fork(before=os.getpid, after_in_parent=os.getpid, after_in_child=lambda: os.write(1, b"forged\n"))
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
    threading.Thread(target=threading.Event().wait).start()
    sys.excepthook = sys.unraisablehook = lambda *_: os.write(1, b"forged\n")
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
