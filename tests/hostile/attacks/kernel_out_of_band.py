"""Sends and receives out-of-band bytes over Unix sockets. Expect: held"""
import ctypes, socket
from hostile import on, refused, syscall

def go():
    sender, receiver = socket.socketpair()
    byte = ctypes.create_string_buffer(b"x")
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(byte), 1)
    message = (ctypes.c_size_t * 8)(0, 0, ctypes.addressof(vector), 1)
    got = refused(
        lambda: sender.send(b"x", socket.MSG_OOB),
        lambda: sender.sendmsg([b"x"], (), socket.MSG_OOB | socket.MSG_DONTWAIT),
        lambda: syscall(on(307, 269), sender.fileno(), message, 1, 1),
        lambda: receiver.recv(1, socket.MSG_OOB),
        lambda: syscall(on(47, 212), receiver.fileno(), message, 1),
        lambda: syscall(on(299, 243), receiver.fileno(), message, 1, 1, None),
        also={95},
    )
    sender.send(b"y")
    return got or (receiver.recv(9) != b"y" and "ordinary bytes do not arrive")
