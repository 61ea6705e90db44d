"""Speaks in the place of the agent: its sockets, its names. Expect: held"""
import os, socket

def go():
    reached = []
    for path in ("/sock/s", "/run/s", "\0agent", "\0agon"):
        for kind in (socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
            with socket.socket(socket.AF_UNIX, kind) as client:
                try:
                    client.connect(path)
                    reached.append(path)
                except OSError:
                    pass
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
            server.bind("/sock/s")
            reached.append("bound")
    except OSError:
        pass
    return f"reached {reached}" if reached else ""
