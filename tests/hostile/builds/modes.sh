# Leaves programs that give their owner's rights to who runs them. Expect: held
cp /bin/sh shell
chmod 6755 shell
chmod 7777 .
mknod device c 1 1 2>/dev/null
exit 0
