"""Looks for what a fork inherits and a fresh program would not: handlers, threads, timers, locks. Expect: held"""
import atexit, os, resource, signal, sys, threading

def go():
    inherited = []
    if threading.active_count() > 1 or len(os.listdir("/proc/self/task")) > 1:
        inherited.append("threads")
    for number in signal.Signals:
        if signal.getsignal(number) not in (signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler, None):
            inherited.append(number.name)
    if signal.pthread_sigmask(signal.SIG_BLOCK, ()) or any(signal.getitimer(0)):
        inherited.append("signals")
    if sorted(os.listdir("/proc/self/fd")) not in (["0", "1", "2", "3"], ["0", "1", "2", "3", "4"]):
        inherited.append(f"descriptors {os.listdir('/proc/self/fd')}")
    if any(name == "inside" or name.startswith("inside.") for name in sys.modules):
        inherited.append("modules of the agent")
    if os.getcwd() != "/box/work" or os.umask(0o77) != 0o22:
        inherited.append("folder or mask")
    if os.getpgid(0) != os.getpid():
        inherited.append("another's process group")
    if any("agent" in entry for entry in sys.path):
        inherited.append(f"path {sys.path}")
    return f"{inherited}" if inherited else ""
