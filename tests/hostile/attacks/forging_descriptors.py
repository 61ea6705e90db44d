"""Speaks to agent and spawner in the place of the referee, through every descriptor that it has, had or can open. Expect: held"""
import json, os, socket, struct

def go():
    text = json.dumps({"op": "run", "args": [], "file": False, "limit_us": 10**9, "cap_us": 10**9}).encode()
    message, reached = struct.pack("<II", len(text), 0) + text, []
    for fd in [*range(3, 1024)]:
        try:
            with socket.socket(fileno=os.dup(fd)) as channel:
                channel.send(message)
                reached.append(fd)
        except OSError:
            pass
    for pid in os.listdir("/proc"):
        if pid.isdigit() and int(pid) != os.getpid():
            for fd in range(64):
                try:
                    os.close(os.open(f"/proc/{pid}/fd/{fd}", os.O_RDWR))
                    reached.append((pid, fd))
                except OSError:
                    pass
    return f"reached {reached}" if reached else ""
