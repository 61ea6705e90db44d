"""Has capabilities, may get some, or finds a program that gives them. Expect: held"""
import ctypes, os, re
from hostile import call, refused

def go():
    with open("/proc/self/status") as file:
        status = file.read()
    held = [name for name in ("CapInh", "CapPrm", "CapEff", "CapAmb") if int(re.search(name + r":\s+(\w+)", status)[1], 16)]
    said = f"has {held}" if held else ""
    if not re.search(r"NoNewPrivs:\s+1", status) or not re.search(r"Seccomp:\s+2", status):
        said += " is not confined"
    header, all_of_them = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
    said += refused(lambda: call("capset", header, all_of_them))
    for program in ("/usr/bin/su", "/usr/bin/passwd", "/usr/bin/mount", "/usr/bin/sudo"):
        if os.path.exists(program) and os.fork() == 0:
            os.dup2(os.open("/dev/null", os.O_RDWR), 2)
            os.execv("/bin/sh", ["sh", "-c", "test $(id -u) != 0"])
    return said
