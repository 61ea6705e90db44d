"""Fills sockets with data that no process reads. Expect: held, memory, crash"""
import socket

def go():
    total, kept = 0, []
    try:
        for _ in range(1200):
            pair = socket.socketpair()
            kept.append(pair)
            for sock in pair:
                sock.setblocking(False)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
                try:
                    while True:
                        total += sock.send(bytes(65536))
                except BlockingIOError:
                    pass
    except OSError:
        pass
    return f"{total >> 20} MiB" if total > 200 << 20 else ""
