"""Spins in threads that crowd each other out, so that each waits most of the time. Expect: timeout"""
import threading, time

def go():
    def spin():
        while True:
            hash(bytes(100_000))
    for _ in range(12):
        threading.Thread(target=spin, daemon=True).start()
    time.sleep(1000)
