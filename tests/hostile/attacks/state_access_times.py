"""Reads a file that every match of it sees, for the next one to see that it was read. Expect: held"""
import os

def go():
    for folder, _, files in os.walk("/bot"):
        for path in (folder, *(f"{folder}/{name}" for name in files)):
            before = os.stat(path).st_atime_ns
            if os.path.isdir(path):
                os.listdir(path)
            else:
                with open(path, "rb") as file:
                    file.read()
            if os.stat(path).st_atime_ns != before:
                return f"{path} keeps when it was read"
