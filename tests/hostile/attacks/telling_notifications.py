"""Is told by the kernel when another bot opens a file of the system. Expect: held"""
from hostile import call, on, refused, syscall

def go():
    return refused(lambda: call("inotify_init"), lambda: call("inotify_init1", 0o2000000),
                   lambda: call("inotify_add_watch", 3, b"/usr/bin", 0x20), lambda: syscall(on(301, 263), 3, 1, 0x20, -100, b"/usr"))
