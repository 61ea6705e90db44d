"""Prints without end instead of moving."""

import sys

while True:
    sys.stdout.write("flood " * 1000)
