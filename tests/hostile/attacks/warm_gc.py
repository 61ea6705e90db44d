"""Finds the objects of agent and spawner in the memory that it was forked with, and uses them. Expect: held"""
import gc, os, socket, sys

def go():
    got = []
    gc.unfreeze()
    for thing in gc.get_objects():
        kind = type(thing).__name__
        if kind in ("Agent", "Session", "GameFile"):
            for name, value in vars(thing).items():
                if type(value) is int and value > 2:
                    try:
                        os.write(value, b"forged")
                        got.append(name)
                    except OSError:
                        pass
        if kind == "socket" and isinstance(thing, socket.socket) and thing.fileno() >= 0:
            try:
                thing.send(b"forged")
                got.append(f"socket {thing.fileno()}")
            except OSError:
                pass
        if kind == "Setup":
            for name, value in vars(thing).items():
                if isinstance(value, (str, bytes)) and b"agon-tests-" in (value.encode() if isinstance(value, str) else value):
                    got.append(name)
    return f"used {got}" if got else ""
