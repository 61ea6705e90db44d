"""Changes modules, types and singletons that it shares with its parent's memory. Expect: held"""
import builtins, ctypes, os, sys

def go():
    for module in list(sys.modules.values()):
        try:
            module.evil = True
        except (AttributeError, TypeError):
            pass
    builtins.open = builtins.exec = builtins.compile = lambda *_, **__: None
    ctypes.c_long.from_address(id(5) + 24).value = 6  # five is six from now on
    sys.meta_path.insert(0, None)
    sys.path.insert(0, "/tmp")
    os.write(1, b"held\n")
    os._exit(0)
