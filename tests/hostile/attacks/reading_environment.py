"""Looks for secrets in its environment and in what it can see of others'. Expect: held"""
import glob, os

def go():
    more = set(os.environ) - {"PATH", "HOME", "LANG", "PYTHONHASHSEED", "LC_CTYPE"}
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                names = {part.split(b"=")[0].decode() for part in file.read().split(b"\0") if part}
            more |= names - {"PATH", "HOME", "LANG", "PYTHONHASHSEED", "HOSTNAME", "PWD", "LC_CTYPE"}
        except OSError:
            pass
    return f"environment {more}" if more else ""
