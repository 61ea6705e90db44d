"""Loads programs of its own into the kernel, as filters of calls and of sockets. Expect: held"""
import ctypes, socket, struct
from hostile import call, on, refused, syscall

def go():
    code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7FFF0000))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 1, ctypes.addressof(code)))
    end, _ = socket.socketpair()
    return refused(
        lambda: call("prctl", 22, 2, program, 0, 0),
        lambda: syscall(on(317, 277), 1, 0, program),
        lambda: syscall(on(317, 277), 1, 8, program),  # with a listener
        *(lambda name=name: end.setsockopt(1, name, program.raw[:16]) for name in (26, 51)),
        *(lambda name=name: end.setsockopt(1, name, struct.pack("i", 0)) for name in (50, 52)),
        also={22, 92},
    )
