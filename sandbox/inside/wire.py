"""Messages between the host and a box, over Unix sockets that keep packets whole (SEQPACKET).

A message is a small JSON object, up to 16 descriptors, and some bytes. Its first packet holds the lengths of
both, the JSON, and as many of the bytes as fit; the rest follows in further packets. `send_bytes` and
`receive_bytes` do the same with bytes in place of the JSON and without descriptors, for the requests and
reports of runs, which must be fast.

Both ends belong to us: no bot ever holds one. Even so, what is received is only parsed as JSON.
"""

from __future__ import annotations

import _socket  # socket itself imports much more, which every fork would have to copy
import json
import os
import select
import struct
import time

TYPE_CHECKING = False  # importing typing would make every fork more expensive
if TYPE_CHECKING:
    from typing import Any

_PACKET = 60_000  # below the default send buffer (208 KiB), so a packet is never refused as too long
_HEAD = struct.Struct("<II")
# Messages about runs. RUN asks to run a program: whether there is a game's file; the arguments follow. PACK
# asks to pack a build's result: the limits on files and bytes follow as JSON. REPORT: the status as in
# wait(2) (negative: minus the errno, nothing was started), CPU and wait time in microseconds, whether the
# game's file is there; its content follows.
RUN, PACK, REPORT = struct.Struct("<?"), b"pack", struct.Struct("<iqq?")
_MOST_BYTES_AFTER_JSON = 1 << 28
_MOST_BYTES = 16 << 20  # of a message without JSON: a game's file
_encode = json.JSONEncoder(separators=(",", ":")).encode  # json.dumps makes a new one each time
_decode = json.JSONDecoder().raw_decode


class Closed(Exception):
    """The other end is closed."""


class Slow(Exception):
    """The other end did not answer in time."""


def explain(error: BaseException) -> str:
    """An error of our own with the place where it was raised, for the operator of the platform."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" at {place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else ""
    return f"{error!r}{where}"


def send(sock: _socket.socket, fields: dict[str, Any], data: bytes = b"", fds: tuple[int, ...] = ()) -> None:
    """Send one message. Raises Closed."""
    text = _encode(fields).encode() if fields else b"{}"
    room = _PACKET - len(text)
    ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack(f"{len(fds)}i", *fds))] if fds else []
    try:
        sock.sendmsg([_HEAD.pack(len(text), len(data)), text, data[:room]], ancillary)
        for start in range(room, len(data), _PACKET):
            sock.send(data[start : start + _PACKET])
    except (BrokenPipeError, ConnectionError) as error:
        raise Closed(str(error)) from error


def receive(sock: _socket.socket, seconds: float | None = None) -> tuple[dict[str, Any], bytes, list[int]]:
    """The next message: its fields, bytes and descriptors (close-on-exec). Raises Closed or Slow."""
    deadline = None if seconds is None else time.monotonic() + seconds
    packet, fds = _packet(sock, deadline)
    text_length, data_length = _HEAD.unpack_from(packet)
    if data_length > _MOST_BYTES_AFTER_JSON:
        raise Closed(f"a message of {data_length} bytes")
    fields = _decode(str(packet[_HEAD.size : _HEAD.size + text_length], "ascii"))[0]
    data = packet[_HEAD.size + text_length :]
    if len(data) < data_length:
        parts = [data]
        missing = data_length - len(data)
        while missing > 0:
            part, _ = _packet(sock, deadline)
            parts.append(part)
            missing -= len(part)
        data = b"".join(parts)
    return fields, data, fds


def send_bytes(fd: int, head: bytes, data: bytes = b"") -> None:
    """Send one message of bytes. Raises Closed; BlockingIOError if the other end does not read it in time.

    Raises ValueError if `data` is longer than 16 MiB.
    """
    try:
        if len(head) + len(data) <= _PACKET:
            os.writev(fd, (_HEAD.pack(len(head), len(data)), head, data))
        else:
            for packet in packets(head, data):
                os.write(fd, packet)
    except ConnectionError as error:
        raise Closed(str(error)) from error


def packets(head: bytes, data: bytes) -> list[bytes]:
    """The packets of a message of bytes. Raises ValueError if `data` is longer than 16 MiB."""
    if len(data) > _MOST_BYTES:
        raise ValueError(f"a message of {len(data)} bytes: expected at most {_MOST_BYTES}")
    room = _PACKET - len(head)
    first = _HEAD.pack(len(head), len(data)) + head + data[:room]
    return [first, *(data[start : start + _PACKET] for start in range(room, len(data), _PACKET))]


def receive_bytes(fd: int) -> tuple[bytes, bytes]:
    """The next message of bytes. Raises Closed."""
    try:
        packet = os.read(fd, _PACKET + _HEAD.size)
        if not packet:
            raise Closed("end of stream")
        head_length, data_length = _HEAD.unpack_from(packet)
        if data_length > _MOST_BYTES:
            raise Closed(f"a message of {data_length} bytes")
        start = _HEAD.size + head_length
        head, data = packet[_HEAD.size : start], packet[start:]
        while len(data) < data_length:
            part = os.read(fd, _PACKET)
            if not part:
                raise Closed("end of stream")
            data += part
    except ConnectionError as error:
        raise Closed(str(error)) from error
    return head, data


def _packet(sock: _socket.socket, deadline: float | None) -> tuple[bytes, list[int]]:
    if deadline is not None:
        poll = select.poll()
        poll.register(sock.fileno(), select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise Slow
    try:
        # socket.recv_fds ignores its flags: descriptors taken that way would leak into bots.
        packet, ancillary, _, _ = sock.recvmsg(
            _PACKET + _HEAD.size, _socket.CMSG_SPACE(16 * 4), _socket.MSG_CMSG_CLOEXEC
        )
    except ConnectionError as error:
        raise Closed(str(error)) from error
    fds: list[int] = []
    for level, kind, content in ancillary:
        if level == _socket.SOL_SOCKET and kind == _socket.SCM_RIGHTS:
            fds += struct.unpack(f"{len(content) // 4}i", content[: len(content) // 4 * 4])
    if not packet:
        raise Closed("end of stream")
    return packet, fds
