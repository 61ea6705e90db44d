"""Checks whether a Docker engine listens, without Docker's SDK, which takes long to import."""

import os
import socket

from sandbox.api import SandboxError


def check_socket() -> None:
    """Raise SandboxError if no engine listens. The SDK would leave a socket open, and say less."""
    host = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    if host.startswith("unix://"):
        path = host.removeprefix("unix://")
        try:
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(path)
        except OSError as error:
            raise SandboxError(f"no Docker engine answers at {path}: {error.strerror or error}") from None
