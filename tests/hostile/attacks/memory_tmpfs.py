"""Fills every folder it can write to. Expect: held"""
import os

def go():
    written, block = 0, bytes(1 << 20)
    for folder in ("/box/work", "/tmp", "/dev/shm", "/box", "/var/tmp", "/run"):
        try:
            for number in range(30):
                with open(f"{folder}/fill{number}", "wb", buffering=0) as file:
                    for _ in range(10):
                        written += file.write(block)
        except OSError:
            pass
    return f"{written >> 20} MiB" if written > 17 << 20 else ""
