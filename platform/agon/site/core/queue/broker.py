"""The broker of an embedded site: messages are files in one folder of one machine.

It is kombu's filesystem transport, with these changes:

- A message gets its final name only when it is complete, and is taken by a rename within the folder.
  kombu moves it into the system's temporary folder, which may be another file system; then a reader may
  take a half-written message, and two readers may take the same one.
- Every queue is bound to the exchange of the same name, as Celery has it, without a file that says so.
  The folder holds nothing but messages and may be emptied at any time.
- The folder is polled several times a second, so that work starts at once if nothing is ahead of it.
"""

import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads

MOST_PATIENCE = 0.3  # seconds


class Channel(filesystem.Channel):
    def get_table(self, exchange: str) -> list[filesystem.exchange_queue_t]:
        return [filesystem.exchange_queue_t(exchange, "", exchange)]

    def _queue_bind(self, *args: Any) -> None:
        """Nothing to store: see get_table."""

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:
        folder = Path(self.data_folder_out)
        name = f"{time.time_ns():020}-{uuid.uuid4().hex}"
        partial = folder / f"{name}.partial"
        try:
            partial.write_bytes(str_to_bytes(dumps(payload)))
            partial.rename(folder / f"{name}.{queue}.msg")
        except OSError:  # the disk is full
            partial.unlink(missing_ok=True)
            raise

    def _get(self, queue: str) -> Any:
        suffix = f".{queue}.msg"
        for name in sorted(name for name in os.listdir(self.data_folder_in) if name.endswith(suffix)):
            message = Path(self.data_folder_in, name)
            taken = message.with_suffix(".taken")
            try:
                message.rename(taken)
            except FileNotFoundError:  # another reader was first
                continue
            payload = taken.read_bytes()
            taken.unlink()
            return loads(bytes_to_str(payload))
        raise Empty


class Transport(filesystem.Transport):
    Channel = Channel
    polling_interval = 0.1

    def drain_events(self, connection: Any, timeout: float | None = None) -> Any:
        """Wait for a message, but briefly: a worker that is to stop notices that in between."""
        return super().drain_events(connection, min(timeout or MOST_PATIENCE, MOST_PATIENCE))
