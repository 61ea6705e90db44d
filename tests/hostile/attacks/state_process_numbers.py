"""Starts so many threads that the number of its next match's process tells it something. Expect: held"""
import _thread, time

def go():
    for _ in range(6000):
        while True:
            try:
                _thread.start_new_thread(int, ())
                break
            except RuntimeError:
                time.sleep(0.001)
