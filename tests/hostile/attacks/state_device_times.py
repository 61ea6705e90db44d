"""Marks devices, and whatever else it may, with a time. Expect: held"""
import os

PLACES = [f"/dev/{name}" for name in os.listdir("/dev")] + ["/dev", "/box", "/bot", "/sys/fs/cgroup", "/proc/self"]

def go():
    for place in PLACES:
        for times in (None, (12345, 67890)):
            try:
                os.utime(place, times)
            except OSError:
                pass
    for folder in ("/dev/mqueue", "/dev/pts", "/dev"):
        try:
            open(f"{folder}/mark", "w").close()
        except OSError:
            pass
