"""Meets another bot at a socket with an agreed name. Expect: held"""
import socket
from hostile import refused

def go():
    def meet(name, kind):
        def reach():
            with socket.socket(socket.AF_UNIX, kind) as client:
                client.connect(name)
                return name
        return reach
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET)
    return refused(*(meet(name, kind) for name in ("\0agon-neighbor", "/tmp/meet", "/dev/shm/meet", "/box/meet") for kind in kinds), also={111})
