# Becomes root, makes namespaces, mounts. Expect: held
[ "$(id -u)" = 0 ] && exit 9
unshare -r true 2>/dev/null && exit 9
unshare -m true 2>/dev/null && exit 9
mount -t tmpfs none /box/tmp 2>/dev/null && exit 9
su -c true 2>/dev/null </dev/null && exit 9
chroot / true 2>/dev/null && exit 9
grep -q 'NoNewPrivs:.*1' /proc/self/status || exit 9
