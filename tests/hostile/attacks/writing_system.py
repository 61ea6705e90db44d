"""Changes programs, libraries, the bot's own files, settings of the kernel, cgroups. Expect: held"""
import glob, os, sys
from hostile import refused, writing

def go():
    paths = ["/usr/bin/python3", "/usr/lib/evil", "/etc/passwd", "/etc/ld.so.preload", "/bin/evil", "/evil",
             "/bot/bot.py", "/bot/evil", "/dev/evil", "/run/evil", "/mnt/evil", "/agent/evil", "/agent.zip", "/sock/evil",
             "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger", "/proc/1/oom_score_adj",
             "/sys/kernel/x", os.path.join(os.path.dirname(os.__file__), "evil.py"), sys.executable]
    paths += glob.glob("/sys/fs/cgroup/**/cgroup.procs", recursive=True)
    paths += glob.glob("/sys/fs/cgroup/**/memory.*limit*", recursive=True)
    paths += glob.glob("/sys/fs/cgroup/**/pids.max", recursive=True)
    return refused(*(writing(path) for path in paths))
