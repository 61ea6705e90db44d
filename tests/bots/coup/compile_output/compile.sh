#!/bin/sh
# Prints 1 GB.
yes "the build log that never ends" | head -c 1000000000
