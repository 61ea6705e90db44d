"""Messages between worker and box: whole, or refused."""

import os
import socket
import struct

import pytest

from sandbox.inside import wire


@pytest.fixture
def ends():
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with one, other:
        yield one, other


@pytest.mark.parametrize("size", [0, 1, 59_990, 60_000, 150_000])
def test_bytes_come_out_as_they_went_in(ends, size):
    one, other = ends
    data = os.urandom(size)
    wire.send_bytes(one.fileno(), b"head", data)
    assert wire.receive_bytes(other.fileno()) == (b"head", data)


@pytest.mark.parametrize("size", [0, 1, 59_990, 60_000, 150_000])
def test_fields_bytes_and_descriptors_come_out_as_they_went_in(ends, size):
    one, other = ends
    data = os.urandom(size)
    wire.send(one, {"op": "open", "why": "\u5fc3"}, data, (one.fileno(),))
    fields, got, fds = wire.receive(other, 5.0)
    assert (fields, got) == ({"op": "open", "why": "\u5fc3"}, data)
    assert os.fstat(fds[0]).st_ino == os.fstat(one.fileno()).st_ino
    assert not os.get_inheritable(fds[0])
    os.close(fds[0])


@pytest.mark.parametrize(
    "take", [lambda end: wire.receive_bytes(end.fileno()), lambda end: wire.receive(end, 5.0)]
)
@pytest.mark.parametrize("said", [b"", struct.pack("<II", 2, 1 << 30) + b"{}"], ids=["nothing", "too long"])
def test_an_end_and_an_absurd_length_are_the_end(ends, take, said):
    one, other = ends
    one.send(said) if said else one.close()
    with pytest.raises(wire.Closed):
        take(other)
