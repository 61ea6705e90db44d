"""Starts threads as many as it can. Expect: held, crash"""
import threading

def go():
    stop = threading.Event()
    started = 0
    try:
        for _ in range(5000):
            threading.Thread(target=stop.wait, daemon=True).start()
            started += 1
    except RuntimeError:
        pass
    stop.set()
    return f"{started} threads" if started > 40 else ""
