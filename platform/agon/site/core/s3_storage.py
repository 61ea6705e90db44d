"""Files in a bucket of a server that speaks S3: what machines share that share no folder.

Theory of operation.

- Errors: a file that is not there is a FileNotFoundError, and a server that does not answer or refuses is
  another OSError, as with a folder: callers need to know one kind of storage.
- Time: a server that hangs fails a call after seconds, not minutes: a worker waits for it, and is paused
  then (agon.site.fleet.pausing).
- Reading fetches the whole file first, in memory up to IN_MEMORY. So what `open` returns can be read to its
  end, even if the file is removed meanwhile.
- Trust: what the server returns is checked by those who rely on it (agon.site.core.content_names).
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files import File
from storages.backends.s3 import S3Storage

IN_MEMORY = 4 << 20  # bytes of a file that is read; the rest is in the folder for temporary files
CONNECTING, ANSWERING, TRIES = 3.0, 20.0, 3  # seconds, seconds, calls


class S3Files(S3Storage):
    """The storage; the options are those of django-storages."""

    def __init__(self, *, style: str = "path", **options: Any) -> None:
        """style: `path` if the server has the bucket in the path of URLs, `virtual` if in the host name."""
        needed_only = "when_required"  # checksums of botocore's own are unknown to many servers
        config = Config(
            connect_timeout=CONNECTING,
            read_timeout=ANSWERING,
            retries={"total_max_attempts": TRIES, "mode": "standard"},
            s3={"addressing_style": style},
            request_checksum_calculation=needed_only,
            response_checksum_validation=needed_only,
        )
        super().__init__(
            client_config=config,
            transfer_config=TransferConfig(use_threads=False),
            max_memory_size=IN_MEMORY,
            file_overwrite=False,
            default_acl=None,
            **options,
        )

    def _open(self, name: str, mode: str = "rb") -> File:
        with _as_os_errors(name):
            file: File = super()._open(name, mode)
            if "r" in mode:
                file.open()  # fetches it
        return file

    def _save(self, name: str, content: File) -> str:
        kept_open: Any = _KeptOpen(content)
        with _as_os_errors(name):
            return str(super()._save(name, File(kept_open)))

    def exists(self, name: str) -> bool:
        with _as_os_errors(name):
            return bool(super().exists(name))

    def delete(self, name: str) -> None:
        with _as_os_errors(name):
            super().delete(name)

    def size(self, name: str) -> int:
        with _as_os_errors(name):
            return int(super().size(name))

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        with _as_os_errors(name):
            folders, files = super().listdir(name)
        return folders, files


class _KeptOpen(io.BufferedIOBase):
    """Reads a file that its user goes on to use: botocore closes what it has sent."""

    def __init__(self, content: File) -> None:
        self._content = content

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        return bytes(self._content.read(-1 if size is None else size))

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self._content.seek(offset, whence)
        return self.tell()

    def tell(self) -> int:
        return int(self._content.tell())


@contextmanager
def _as_os_errors(name: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        kind = FileNotFoundError if status == 404 else OSError
        raise kind(f"{name}: {error}") from error
    except BotoCoreError as error:
        raise OSError(f"{name}: {error}") from error
