"""Spins in threads that end before anybody looks at them. Expect: timeout"""
import threading, time

def go():
    def spin():
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass
    while True:
        threads = [threading.Thread(target=spin) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
