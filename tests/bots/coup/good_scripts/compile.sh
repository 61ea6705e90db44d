#!/bin/sh
set -e
gcc -O2 -std=c17 -o bot good.c
