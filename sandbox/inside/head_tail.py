"""The first and the last part of a long output."""


class HeadTail:
    """Collects any amount of bytes in bounded memory: it keeps the first and the last `half` bytes."""

    def __init__(self, half: int) -> None:
        self._half = half
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data
            if len(self._tail) > 2 * self._half:
                del self._tail[: -self._half]

    def text(self) -> bytes:
        tail = bytes(self._tail[-self._half :])
        left_out = self.total - len(self._head) - len(tail)
        if left_out:
            return b"%b\n[... %d bytes left out ...]\n%b" % (bytes(self._head), left_out, tail)
        return bytes(self._head) + tail


def reports_out_of_memory(output: HeadTail) -> bool:
    """Whether the output ends like that of a runtime that got no more memory."""
    last = output.text()[-400:]
    return any(words in last for words in (b"\nMemoryError", b"std::bad_alloc", b"out of memory"))
