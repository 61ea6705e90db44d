"""Sends and receives out-of-band bytes over Unix sockets. Expect: held"""
import ctypes, socket
from hostile import on, refused, syscall

def go():
    one, other = socket.socketpair()
    byte = ctypes.create_string_buffer(b"x")
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(byte), 1)
    message = (ctypes.c_size_t * 8)(0, 0, ctypes.addressof(vector), 1)
    got = refused(
        lambda: one.send(b"x", socket.MSG_OOB),
        lambda: one.sendmsg([b"x"], (), socket.MSG_OOB | socket.MSG_DONTWAIT),
        lambda: syscall(on(307, 269), one.fileno(), message, 1, 1),
        lambda: other.recv(1, socket.MSG_OOB),
        lambda: syscall(on(47, 212), other.fileno(), message, 1),
        lambda: syscall(on(299, 243), other.fileno(), message, 1, 1, None),
        also={95},
    )
    one.send(b"y")
    return got or (other.recv(9) != b"y" and "ordinary bytes do not arrive")
