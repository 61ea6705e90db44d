"""Knocks at sockets that the host and the neighbor hold open: TCP, UDP, Unix, abstract. Expect: held"""
import socket
from hostile import facts, refused

def go():
    host = facts()
    def stream(family, address):
        def reach():
            with socket.socket(family) as client:
                client.settimeout(0.5)
                client.connect(address)
                return address
        return reach
    def datagram():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            return client.sendto(b"evil", ("127.0.0.1", host["udp"]))
    return refused(
        stream(socket.AF_INET, ("127.0.0.1", host["tcp"])), datagram, stream(socket.AF_UNIX, host["socket"]),
        stream(socket.AF_UNIX, "\0" + host["abstract"]), stream(socket.AF_UNIX, "\0agon-neighbor"), also={111, 101})
