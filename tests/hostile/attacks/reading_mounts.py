"""Looks for a mount that can be written to, or that shows a folder of the host's but programs. Expect: held"""
import os

def go():
    bad = []
    with open("/proc/self/mountinfo") as mounts:
        for line in mounts:
            _, _, _, root, point = line.split()[:5]
            if point != "/box" and os.path.isdir(point) and os.access(point, os.W_OK):
                try:
                    os.close(os.open(f"{point}/evil", os.O_CREAT | os.O_WRONLY))
                    bad.append(f"wrote into {point}")
                except OSError:
                    pass
            if "docker.sock" in line or root.startswith(("/home", "/var/run", "/run", "/etc/shadow", "/proc/sys")):
                bad.append(line)
    return "; ".join(bad)
