# Fills the folder. Expect: held, not acceptable, exited
head -c 500000000 /dev/zero > big 2>/dev/null
head -c 500000000 /dev/zero > /tmp/big 2>/dev/null
[ "$(du -sk /box | cut -f1)" -lt 20000 ] && rm -f big /tmp/big
