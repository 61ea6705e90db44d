"""Answers many questions before they are asked. Expect: timeout"""
import os, time

def go():
    os.write(1, b"\n" * 5000)
    time.sleep(1000)
