"""The images of the Docker backend, one for each family of languages, so that no site has to store them all.

An image is named after everything that it is made from, so it is never stale. `python -m sandbox.images`
builds them.
"""

import functools
import hashlib
import io
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import docker  # type: ignore[import-untyped]
from docker.errors import APIError, BuildError, DockerException, ImageNotFound  # type: ignore[import-untyped]

from sandbox.api import CORE, SandboxError
from sandbox.backends.docker_socket import check_socket
from sandbox.languages.registry import all_languages

DEFAULT_BASE = "debian:bookworm-slim"
LOCAL_BASE = "agon-base:bookworm"
_SANDBOX = Path(__file__).parent.parent


def _sources() -> dict[str, Path]:
    """The files that an image is made from, by their names in the build context."""
    inside = {f"inside/{path.name}": path for path in sorted((_SANDBOX / "inside").glob("*.py"))}
    return {"Dockerfile": _SANDBOX / "backends" / "image" / "Dockerfile", **inside}


def packages(family: str) -> str:
    """The Debian packages of the family's languages, in one line."""
    needed = {
        name for language in all_languages() if language.family == family for name in language.package.split()
    }
    return " ".join(sorted(needed))


@functools.cache
def tag(family: str = CORE) -> str:
    """The image's name, from the digest of everything that it is made from."""
    digest = hashlib.sha256(packages(family).encode())
    for name, path in _sources().items():
        digest.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return f"agon-sandbox-{family}:{digest.hexdigest()[:12]}"


def how_to_build(family: str) -> str:
    """The message where the image is missing."""
    command = "python -m sandbox.images" + ("" if family == CORE else f" {family}")
    return f"the image {tag(family)} is not built: run {command}"


def connect() -> docker.DockerClient:
    """A client of the engine that answers (DOCKER_HOST or the default socket).

    SandboxError if none does, or if it is Podman, which refuses the filter of system calls, the bound on the
    number of files and `noatime` (docs/guides/operate.md names the versions that were tried).
    """
    check_socket()
    try:
        client = docker.from_env(timeout=60)
    except DockerException as error:
        raise SandboxError(f"no Docker engine answers: {_first_line(error)}") from error
    try:
        answer = client.version()
    except (DockerException, OSError) as error:
        client.close()
        raise SandboxError(f"no Docker engine answers: {_first_line(error)}") from error
    if any(component.get("Name") == "Podman Engine" for component in answer.get("Components") or ()):
        client.close()
        raise SandboxError(
            f"Podman {answer.get('Version')} answers instead of Docker, and it cannot set a bot's limits"
        )
    return client


def size(client: docker.DockerClient, family: str = CORE) -> int | None:
    """Bytes of a family's image, all layers included; None if it is not built. Raises SandboxError."""
    attributes = _attributes(client, tag(family))
    return None if attributes is None else int(attributes["Size"])


def identity(client: docker.DockerClient, family: str = CORE) -> str | None:
    """The digest of a family's image; None if it is not built. Raises SandboxError."""
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
            archive.add(path, name, filter=_without_owner)
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


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = "root"
    member.mode = 0o644
    return member


def make_local_base(client: docker.DockerClient) -> str:
    """Make a base image from Debian packages, unless it exists; its name. Requires mmdebstrap."""
    if _attributes(client, LOCAL_BASE) is not None:  # a new one would invalidate every layer above it
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
