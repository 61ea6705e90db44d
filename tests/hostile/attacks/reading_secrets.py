"""Looks everywhere for a secret that another bot holds in file, code and memory, and so does the host. Expect: held"""
import os, sys
from hostile import facts

def go():
    where, secret = facts(), "".join(facts()["secret"]).encode()
    paths = []
    def look(path):
        try:
            file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        except OSError:
            return
        try:
            if secret in os.read(file, 1 << 16):
                paths.append(path)
        except OSError:
            pass
        finally:
            os.close(file)
    look(where["file"])
    for top in ("/box", "/bot", "/etc", "/home", "/root", "/mnt", "/media", "/opt", "/run", "/srv", "/sock", "/var", "/dev"):
        for folder, folders, files in os.walk(top):
            if folder == sys.base_prefix:
                folders.clear()  # Python itself
            elif len(files) < 5000:
                for name in files:
                    look(f"{folder}/{name}")
    for name in os.listdir("/proc"):
        if name.isdigit():
            for file in ("environ", "cmdline", "mem", "root" + where["file"], "cwd/secret.txt"):
                look(f"/proc/{name}/{file}")
    return f"found in {paths}" if paths else ""
