"""Changes the compiled program, the file list and the filter that the next session is made from. Expect: held"""
import ctypes, gc, os

def go():
    evil = compile("print('forged', flush=True)", "bot.py", "exec")
    for thing in gc.get_objects():
        if type(thing).__name__ == "Setup":
            for name, value in vars(thing).items():
                if isinstance(value, bytes) and len(value) > 64:
                    ctypes.memset(id(value) + bytes.__basicsize__ - 1, 0, 64)  # in place, constant or not
            thing.code, thing.filter, thing.small = b"", b"", []
            thing.processes = thing.memory = thing.work = 1 << 40
    for module in ("session", "spawner", "room", "kernel", "warm", "bots"):
        for thing in gc.get_objects():
            if isinstance(thing, dict) and thing.get("__name__") == f"inside.{module}":
                thing.clear()
    os.write(1, b"held\n")
    os._exit(0)
