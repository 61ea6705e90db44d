"""Opens sockets of every family but Unix. Expect: held"""
import socket

def go():
    opened = []
    for family in range(2, 50):
        for kind in (1, 2, 3, 5, 10):
            try:
                socket.socket(family, kind, 0).close()
                opened.append((family, kind))
            except OSError:
                pass
    return f"sockets {opened}" if opened else ""
