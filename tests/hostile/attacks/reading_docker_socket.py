"""Looks for the engine's socket, by its usual names and by its name in the kernel's list. Expect: held"""
import os, socket

def go():
    reached = []
    names = ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock"]
    with open("/proc/net/unix") as file:
        names += [line.split()[7] for line in file.read().splitlines()[1:] if len(line.split()) > 7]
    for name in names:
        for prefix in ("", "/proc/1/root"):
            with socket.socket(socket.AF_UNIX) as client:
                try:
                    client.connect("\0" + name[1:] if name[0] == "@" else prefix + name)
                    client.sendall(b"GET /info HTTP/1.0\r\n\r\n")
                    reached.append(name)
                except OSError:
                    pass
    return f"reached {[name for name in reached if name != '@agon-mine']}" if reached else ""
