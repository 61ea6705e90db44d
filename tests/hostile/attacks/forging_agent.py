"""Speaks in the place of the agent: its sockets, its names. Expect: held"""
import os, socket

def go():
    found = []
    for path in ("/sock/s", "/run/s", "\0agent", "\0agon"):
        for kind in (socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
            with socket.socket(socket.AF_UNIX, kind) as one:
                try:
                    one.connect(path)
                    found.append(path)
                except OSError:
                    pass
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as one:
            one.bind("/sock/s")
            found.append("bound")
    except OSError:
        pass
    return f"reached {found}" if found else ""
