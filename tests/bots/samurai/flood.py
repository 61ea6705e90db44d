"""Says READY, then prints without end."""

import sys

print("READY", flush=True)
while True:
    sys.stdout.write("0 " * 1000)
