"""The image of the Docker backend: named after what it is made from, so that it is never stale.

`python -m sandbox.images` builds it. Where no registry can be reached, `--local-base` first makes a
base image from Debian packages with mmdebstrap.
"""

import argparse
import functools
import hashlib
import io
import os
import socket
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import docker  # type: ignore[import-untyped]
from docker.errors import APIError, BuildError, DockerException, ImageNotFound  # type: ignore[import-untyped]

from sandbox.api import SandboxError

DEFAULT_BASE = "debian:bookworm-slim"
LOCAL_BASE = "agon-base:bookworm"
_HERE = Path(__file__).parent


def _sources() -> dict[str, Path]:
    """Everything the image is made from: name in the build's context -> file."""
    inside = {f"inside/{path.name}": path for path in sorted((_HERE / "inside").glob("*.py"))}
    return {"Dockerfile": _HERE / "image" / "Dockerfile", **inside}


@functools.cache
def tag() -> str:
    """The image's name, from the digest of all that goes into it."""
    digest = hashlib.sha256()
    for name, path in _sources().items():
        digest.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return f"agon-sandbox:{digest.hexdigest()[:12]}"


def connect() -> docker.DockerClient:
    """A client of the engine that answers (DOCKER_HOST or the default socket); SandboxError if none."""
    _knock()
    try:
        client = docker.from_env(timeout=60)
    except DockerException as error:
        raise SandboxError(f"no Docker engine answers: {_first_line(error)}") from error
    try:
        client.ping()
    except (DockerException, OSError) as error:
        client.close()
        raise SandboxError(f"no Docker engine answers: {_first_line(error)}") from error
    return client


def _knock() -> None:
    """Fail early where nobody listens: the SDK then leaves its own socket open, and says less."""
    host = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    if host.startswith("unix://"):
        path = host.removeprefix("unix://")
        try:
            with socket.socket(socket.AF_UNIX) as knocking:
                knocking.connect(path)
        except OSError as error:
            raise SandboxError(f"no Docker engine answers at {path}: {error.strerror or error}") from None


def present(client: docker.DockerClient) -> bool:
    try:
        client.images.get(tag())
    except ImageNotFound:
        return False
    except DockerException as error:
        raise SandboxError(f"the Docker engine fails: {_first_line(error)}") from error
    return True


def build(client: docker.DockerClient, base: str = DEFAULT_BASE, network: str | None = None) -> str:
    """Build the image on `base`; its name. SandboxError with the end of the log if that fails."""
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as archive:
        for name, path in _sources().items():
            archive.add(path, name, filter=_plain)
    context.seek(0)
    try:
        client.images.build(
            fileobj=context,
            custom_context=True,
            tag=tag(),
            buildargs={"BASE": base},
            network_mode=network,
            rm=True,
            forcerm=True,
        )
    except BuildError as error:
        log = "".join(str(entry.get("stream", entry.get("error", ""))) for entry in error.build_log)
        raise SandboxError(f"the sandbox image could not be built on {base}:\n{log[-3000:]}") from error
    except (APIError, DockerException) as error:
        raise SandboxError(f"the sandbox image could not be built on {base}: {error}") from error
    return tag()


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = "root"
    member.mode = 0o644
    return member


def make_local_base(client: docker.DockerClient) -> str:
    """Make a base image from Debian packages; its name. Needs mmdebstrap."""
    with tempfile.TemporaryDirectory() as scratch:
        rootfs = Path(scratch, "rootfs.tar")
        command = ["mmdebstrap", "--quiet", "--variant=minbase", "bookworm", str(rootfs)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise SandboxError("mmdebstrap is not installed: apt-get install mmdebstrap") from error
        if done.returncode:
            raise SandboxError(f"mmdebstrap failed:\n{done.stderr[-2000:]}")
        name, _, version = LOCAL_BASE.partition(":")
        client.api.import_image_from_file(str(rootfs), repository=name, tag=version)
    return LOCAL_BASE


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0][:300] if str(error) else type(error).__name__


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m sandbox.images", description=__doc__.split("\n")[0])
    base = os.environ.get("AGON_SANDBOX_BASE", DEFAULT_BASE)
    parser.add_argument("--base", default=base, help=f"image to stand on (default: {base})")
    parser.add_argument("--local-base", action="store_true", help="make the base from Debian packages")
    parser.add_argument("--network", help="network for the build, e.g. host")
    options = parser.parse_args()
    try:
        client = connect()
        try:
            if present(client):
                print(f"{tag()} is there already")
                return 0
            chosen = make_local_base(client) if options.local_base else options.base
            print(f"{build(client, chosen, options.network)} built on {chosen}")
        finally:
            client.close()
    except SandboxError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
