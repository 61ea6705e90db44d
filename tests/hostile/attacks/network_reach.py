"""Tries to reach anything: the host's loopback, a name server, Unix sockets of others. Expect: held"""
import os, socket
from hostile import refused

def go():
    def connect(address):
        def reach():
            return socket.create_connection(address, timeout=0.3)
        return reach
    def unix(path):
        def reach():
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
                return path
        return reach
    said = refused(*(connect(address) for address in (("127.0.0.1", 22), ("127.0.0.1", 80), ("::1", 80))))
    with open("/proc/net/unix") as file:
        others = [line.split()[-1] for line in file.read().splitlines()[1:] if "@" in line or "/" in line]
    said += refused(*(unix(name.replace("@", "\0")) for name in others))
    with open("/proc/net/dev") as file:
        devices = [line.split(":")[0].strip() for line in file.read().splitlines()[2:]]
    strange = [name for name in devices if name != "lo" and not name.endswith("0")]
    return said + (f" {strange}" if strange else "")
