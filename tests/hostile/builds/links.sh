# Leaves links out of its folder: to files of the host, of the box, of the next bot. Expect: held
ln -s /etc/passwd passwd
ln -s /proc/self/environ environment
ln -s ../../.. up
ln -s /bot bot_of_others
mkdir inside && ln -s /etc inside/etc
ln /etc/passwd hard 2>/dev/null
ln build.sh other_name
mkfifo pipe
