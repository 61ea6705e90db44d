"""Stops itself. Expect: timeout"""
import os, signal
from hostile import attack

attack(lambda: os.kill(os.getpid(), signal.SIGSTOP))
