"""Ends, and a child that is left answers in its place. Expect: crash, from beyond"""
import os, time

def go():
    if os.fork() == 0:
        time.sleep(1.2)
        os.write(1, b"from beyond\n")
        time.sleep(1000)
    os._exit(0)
