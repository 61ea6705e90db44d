"""Ignores every signal that can be ignored, and sleeps. Expect: timeout"""
import signal, time

def go():
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    time.sleep(1000)
