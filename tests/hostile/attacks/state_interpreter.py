"""Changes the interpreter it was forked from. Expect: held"""
import builtins, gc, os, sys

def go():
    os.evil = True
    os.write = lambda *_: 0
    builtins.print = lambda *_, **__: sys.stdout.write("forged\n") and sys.stdout.flush()
    for thing in gc.get_objects():
        if type(thing).__name__ == "Setup":
            thing.code = None
            thing.command = ["/bin/sh", "-c", "echo forged"]
            thing.small = []
    sys.modules["hostile"] = None
    sys.stdout.write("held\n")
    sys.stdout.flush()
    os._exit(0)
