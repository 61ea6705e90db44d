"""Reads files of the host, of other bots, of the platform. Expect: held"""
import errno, glob, os
from hostile import reading, refused

def go():
    paths = ["/etc/shadow", "/root", "/home", "/srv", "/var/run/docker.sock", "/run/docker.sock",
             "/proc/kcore", "/proc/kmsg", "/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/var/lib/docker",
             "/proc/1/root/etc/shadow", "/proc/sys/kernel/core_pattern/x", "/var/log/syslog", "/sock/s"]
    said = refused(*(reading(path) for path in paths), also={errno.EISDIR, errno.ENOTDIR})
    for name in glob.glob("/root/*") + glob.glob("/home/*") + glob.glob("/sock/*"):
        said += f" sees {name}"
    devices = set(os.listdir("/dev")) - {
        "null", "zero", "full", "random", "urandom", "tty", "fd", "stdin", "stdout", "stderr", "shm",
        "pts", "ptmx", "core", "console", "mqueue"}
    return said + (f" devices {devices}" if devices else "")
