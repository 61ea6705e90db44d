"""Asks for names, as programs do that have a network. Expect: held"""
import socket

def go():
    found = []
    for name in ("localhost", "example.org", "host.docker.internal", "metadata"):
        try:
            found.append((name, socket.create_connection((name, 80), timeout=0.5)))
        except OSError:
            pass
    try:
        found.append(socket.if_nameindex())
    except OSError:
        pass
    return f"{found}" if found else ""
