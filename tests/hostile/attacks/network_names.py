"""Asks for names, as programs do that have a network. Expect: held"""
import socket

def go():
    answers = []
    for name in ("localhost", "example.org", "host.docker.internal", "metadata"):
        try:
            answers.append((name, socket.create_connection((name, 80), timeout=0.5)))
        except OSError:
            pass
    try:
        answers.append(socket.if_nameindex())
    except OSError:
        pass
    return f"{answers}" if answers else ""
