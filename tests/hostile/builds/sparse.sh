# Leaves a file that is far longer than what it holds. Expect: held, exited, not acceptable
truncate -s 1000000000000 big || dd if=/dev/zero of=big bs=1 count=0 seek=1T || true
