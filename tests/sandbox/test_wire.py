"""Messages between worker and box: whole, or refused."""

import os
import socket
import struct

import pytest

from sandbox.inside import wire


@pytest.fixture
def ends():
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with near, far:
        yield near, far


@pytest.mark.parametrize("size", [0, 1, 59_990, 60_000, 150_000])
def test_bytes_come_out_as_they_went_in(ends, size):
    near, far = ends
    data = os.urandom(size)
    wire.send_bytes(near.fileno(), b"head", data)
    assert wire.receive_bytes(far.fileno()) == (b"head", data)


@pytest.mark.parametrize("size", [0, 1, 59_990, 60_000, 150_000])
def test_fields_bytes_and_descriptors_come_out_as_they_went_in(ends, size):
    near, far = ends
    data = os.urandom(size)
    wire.send(near, {"op": "open", "why": "\u5fc3"}, data, (near.fileno(),))
    fields, got, fds = wire.receive(far, 5.0)
    assert (fields, got) == ({"op": "open", "why": "\u5fc3"}, data)
    assert os.fstat(fds[0]).st_ino == os.fstat(near.fileno()).st_ino
    assert not os.get_inheritable(fds[0])
    os.close(fds[0])


@pytest.mark.parametrize(
    "take", [lambda end: wire.receive_bytes(end.fileno()), lambda end: wire.receive(end, 5.0)]
)
@pytest.mark.parametrize("said", [b"", struct.pack("<II", 2, 1 << 30) + b"{}"], ids=["nothing", "too long"])
def test_an_end_and_an_absurd_length_are_the_end(ends, take, said):
    near, far = ends
    near.send(said) if said else near.close()
    with pytest.raises(wire.Closed):
        take(far)
