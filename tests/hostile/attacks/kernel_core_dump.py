"""Crashes, so that the host starts its own program for crashes, as root and outside. Expect: held"""
import os, resource

def go():
    # A program that core_pattern names is started whatever the limit is, but for a limit of exactly 1.
    if resource.getrlimit(resource.RLIMIT_CORE) != (1, 1):
        return f"may dump {resource.getrlimit(resource.RLIMIT_CORE)}"
    if (pid := os.fork()) == 0:
        os.abort()
    _, status = os.waitpid(pid, 0)
    return "a core was dumped" if os.WCOREDUMP(status) else ""
