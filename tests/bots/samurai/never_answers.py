"""Says READY, then sleeps forever."""

import time

print("READY", flush=True)
while True:
    time.sleep(3600)
