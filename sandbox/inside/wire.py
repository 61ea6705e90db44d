"""Messages between the host and a box, over a Unix socket that keeps packets whole (SEQPACKET).

A message is a small JSON object, up to 16 descriptors, and some bytes. Its first packet holds the
lengths of both, the JSON and as many of the bytes as fit; the rest follows in further packets. Both
ends belong to us: no bot ever holds one. Still, nothing that comes in is more than parsed JSON.
"""

from __future__ import annotations

import array
import json
import select
import socket
import struct
import time

TYPE_CHECKING = False  # importing typing would make every fork dearer
if TYPE_CHECKING:
    from typing import Any

_PACKET = 60_000  # below the default send buffer (208 KiB), so a packet is never refused as too long
_HEAD = struct.Struct("<II")
_MOST = 1 << 28


class Closed(Exception):
    """The other end is gone."""


class Slow(Exception):
    """The other end did not answer in time."""


def explain(error: BaseException) -> str:
    """An error of ours with the place where it was raised, for whoever runs the platform."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" at {place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else ""
    return f"{error!r}{where}"


def send(sock: socket.socket, fields: dict[str, Any], data: bytes = b"", fds: tuple[int, ...] = ()) -> None:
    """Send one message. Raises Closed."""
    text = json.dumps(fields, separators=(",", ":")).encode()
    room = _PACKET - len(text)
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    try:
        sock.sendmsg([_HEAD.pack(len(text), len(data)), text, data[:room]], ancillary)
        for start in range(room, len(data), _PACKET):
            sock.send(data[start : start + _PACKET])
    except (BrokenPipeError, ConnectionError) as error:
        raise Closed(str(error)) from error


def receive(sock: socket.socket, seconds: float | None = None) -> tuple[dict[str, Any], bytes, list[int]]:
    """The next message: its fields, bytes and descriptors (close-on-exec). Raises Closed or Slow."""
    deadline = None if seconds is None else time.monotonic() + seconds
    packet, fds = _packet(sock, deadline)
    text_length, data_length = _HEAD.unpack_from(packet)
    if data_length > _MOST:
        raise Closed(f"a message of {data_length} bytes")
    fields = json.loads(packet[_HEAD.size : _HEAD.size + text_length])
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


def _packet(sock: socket.socket, deadline: float | None) -> tuple[bytes, list[int]]:
    if deadline is not None:
        poll = select.poll()
        poll.register(sock.fileno(), select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise Slow
    try:
        # socket.recv_fds ignores its flags: descriptors taken that way would leak into bots.
        packet, ancillary, _, _ = sock.recvmsg(
            _PACKET + _HEAD.size, socket.CMSG_SPACE(16 * 4), socket.MSG_CMSG_CLOEXEC
        )
    except ConnectionError as error:
        raise Closed(str(error)) from error
    fds = array.array("i")
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(content[: len(content) - len(content) % fds.itemsize])
    if not packet:
        raise Closed("end of stream")
    return packet, list(fds)
