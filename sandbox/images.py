"""The images of the Docker backend, one a family of languages, so that nobody need carry them all.

An image is named after what it is made from, so that it is never stale. `python -m sandbox.images`
builds that of the core family, which every Docker sandbox needs; `python -m sandbox.images native
functional` those two. Where no registry can be reached, `--local-base` first makes a base image from
Debian packages with mmdebstrap.
"""

import argparse
import contextlib
import functools
import hashlib
import io
import os
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import docker  # type: ignore[import-untyped]
from docker.errors import APIError, BuildError, DockerException, ImageNotFound  # type: ignore[import-untyped]

from sandbox.api import CORE, SandboxError
from sandbox.languages.registry import all_languages, families

DEFAULT_BASE = "debian:bookworm-slim"
LOCAL_BASE = "agon-base:bookworm"
_AT_ONCE = 2  # images: each waits now for packages, now for one processor
_HERE = Path(__file__).parent


def _sources() -> dict[str, Path]:
    """Everything the image is made from: name in the build's context -> file."""
    inside = {f"inside/{path.name}": path for path in sorted((_HERE / "inside").glob("*.py"))}
    return {"Dockerfile": _HERE / "backends" / "image" / "Dockerfile", **inside}


def packages(family: str) -> str:
    """The Debian packages of its languages, in one line."""
    needed = {name for each in all_languages() if each.family == family for name in each.package.split()}
    return " ".join(sorted(needed))


@functools.cache
def tag(family: str = CORE) -> str:
    """The image's name, from the digest of all that goes into it."""
    digest = hashlib.sha256(packages(family).encode())
    for name, path in _sources().items():
        digest.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return f"agon-sandbox-{family}:{digest.hexdigest()[:12]}"


def how_to_build(family: str) -> str:
    """What to say where the image is missing."""
    command = "python -m sandbox.images" + ("" if family == CORE else f" {family}")
    return f"the image {tag(family)} is not built: run {command}"


def connect() -> docker.DockerClient:
    """A client of the engine that answers (DOCKER_HOST or the default socket); SandboxError if none."""
    check_socket()
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


def check_socket() -> None:
    """SandboxError where nobody listens: the SDK then leaves its own socket open, and says less."""
    host = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    if host.startswith("unix://"):
        path = host.removeprefix("unix://")
        try:
            with socket.socket(socket.AF_UNIX) as knocking:
                knocking.connect(path)
        except OSError as error:
            raise SandboxError(f"no Docker engine answers at {path}: {error.strerror or error}") from None


def size(client: docker.DockerClient, family: str = CORE) -> int | None:
    """Bytes of a family's image with all its layers; None if it is not built. Raises SandboxError."""
    attributes = _attributes(client, tag(family))
    return None if attributes is None else int(attributes["Size"])


def identity(client: docker.DockerClient, family: str = CORE) -> str | None:
    """The digest of a family's image as it was built; None if it is not built. Raises SandboxError."""
    attributes = _attributes(client, tag(family))
    return None if attributes is None else str(attributes["Id"])


def _attributes(client: docker.DockerClient, name: str) -> dict[str, Any] | None:
    try:
        return dict(client.images.get(name).attrs)
    except ImageNotFound:
        return None
    except DockerException as error:
        raise SandboxError(f"the Docker engine fails: {_first_line(error)}") from error


def build(client: docker.DockerClient, family: str, base: str, network: str | None) -> None:
    """Build a family's image on `base`. SandboxError with the end of the log if that fails."""
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as archive:
        for name, path in _sources().items():
            archive.add(path, name, filter=_plain)
    context.seek(0)
    try:
        client.images.build(
            fileobj=context,
            custom_context=True,
            tag=tag(family),
            buildargs={"BASE": base, "PACKAGES": packages(family)},
            network_mode=network,
            rm=True,
            forcerm=True,
        )
    except BuildError as error:
        log = "".join(str(entry.get("stream", entry.get("error", ""))) for entry in error.build_log)
        raise SandboxError(f"{tag(family)} could not be built on {base}:\n{log[-3000:]}") from error
    except (APIError, DockerException) as error:
        raise SandboxError(f"{tag(family)} could not be built on {base}: {error}") from error


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = "root"
    member.mode = 0o644
    return member


def make_local_base(client: docker.DockerClient) -> str:
    """Make a base image from Debian packages, unless there is one; its name. Needs mmdebstrap."""
    if _attributes(client, LOCAL_BASE) is not None:  # a new one would make every layer above it stale
        return LOCAL_BASE
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
    chosen = os.environ.get("AGON_SANDBOX_FAMILIES", CORE).split()
    words = f"some of {', '.join(families())} (default: {' '.join(chosen)})"
    parser.add_argument("family", nargs="*", default=chosen, help=words)
    parser.add_argument("--base", default=base, help=f"image to stand on (default: {base})")
    parser.add_argument("--local-base", action="store_true", help="make the base from Debian packages")
    parser.add_argument("--network", help="network for the build, e.g. host")
    options = parser.parse_args()
    for family in options.family:
        if family not in families():
            parser.error(
                f"there is no family {family!r} of languages: expected some of {', '.join(families())}"
            )
    try:
        base = _base(options)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for line in pool.map(lambda family: _made(family, base, options.network), options.family):
                print(line, flush=True)
    except SandboxError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _base(options: argparse.Namespace) -> str:
    """The image to stand on, made if that is wanted."""
    if not options.local_base:
        return str(options.base)
    with contextlib.closing(connect()) as client:
        return make_local_base(client)


def _made(family: str, base: str, network: str | None) -> str:
    """Build a family's image if it is not there; what has become of it."""
    with contextlib.closing(connect()) as client:
        there = size(client, family)
        if there is not None:
            return f"{tag(family)} is there already: {there / 1e6:.0f} MB"
        started = time.monotonic()
        build(client, family, base, network)
        seconds = time.monotonic() - started
        return f"{tag(family)} built on {base} in {seconds:.0f} s: {(size(client, family) or 0) / 1e6:.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
