"""Sleeps forever instead of moving."""

import time

while True:
    time.sleep(3600)
