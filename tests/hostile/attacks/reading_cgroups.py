"""Looks for control groups: to read what others use, to leave its own, to be called when one is empty. Expect: held"""
import glob, os
from hostile import refused, writing

def go():
    tries = [writing("/proc/self/cgroup"), lambda: os.mkdir("/sys/fs/cgroup/evil")]
    for name in ("release_agent", "notify_on_release", "cgroup.procs", "tasks", "memory.max", "memory.limit_in_bytes",
                 "pids.max", "cpuset.cpus", "devices.allow", "cgroup.freeze", "cgroup.kill"):
        for path in glob.glob(f"/sys/fs/cgroup/{name}") + glob.glob(f"/sys/fs/cgroup/*/{name}"):
            tries.append(writing(path, b"0"))
    for folder in glob.glob("/sys/fs/cgroup/*/"):
        tries.append(lambda folder=folder: os.mkdir(f"{folder}/evil"))
    return refused(*tries)
