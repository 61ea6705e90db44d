"""Says READY, then sleeps for ever."""

import time

print("READY", flush=True)
while True:
    time.sleep(3600)
