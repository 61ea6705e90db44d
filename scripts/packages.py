"""Finds out which Debian packages the tests need and lack, and installs them (as root)."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sandbox.languages.registry import all_languages  # noqa: E402  (standard library only, like this file)

# Where Debian packages put programs. Those in home folders do not count: a sandbox cannot use them.
SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# A program or file that shows that a package is installed ("|" between alternatives), and the package.
NEEDED = {
    "xgettext": "gettext",
    "/usr/lib/x86_64-linux-gnu/libc.so|/usr/lib/aarch64-linux-gnu/libc.so": "libc6-dev",
    "/usr/lib/postgresql": "postgresql",
    "redis-server": "redis-server",
    "dockerd": "docker.io",
    "mmdebstrap": "mmdebstrap",
    "ssh-keygen": "openssh-client",
    "ip": "iproute2",
    "zsh": "zsh",
    "fish": "fish",
    "chromium-headless-shell": "chromium-headless-shell",
    "/usr/share/fonts/truetype/dejavu": "fonts-dejavu-core",
}


def missing(families: tuple[str, ...]) -> list[str]:
    """The packages that the tests and these families of languages need and that are not installed."""
    return list(dict.fromkeys(_missing(families)))


def _missing(families: tuple[str, ...]) -> Iterator[str]:
    for signs, package in NEEDED.items():
        if not any(map(is_installed, signs.split("|"))):
            yield package
    for language in all_languages():
        if language.family in families and not all(map(is_installed, language.programs)):
            yield from language.package.split()


def is_installed(sign: str) -> bool:
    return Path(sign).exists() if sign.startswith("/") else shutil.which(sign, path=SYSTEM) is not None


def install(packages: list[str]) -> None:
    """Install `packages` without starting their services. Raises Failed with the output of apt-get."""
    with no_service_started():
        apt_get("update")
        apt_get("install", "--yes", "--no-install-recommends", *packages)


class Failed(Exception):
    """apt-get failed; str(e) has its output."""

    pass


def apt_get(*words: str) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "-qq", "-o", "Dpkg::Use-Pty=0", *words]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if result.returncode != 0:
        raise Failed(f"`{' '.join(command)}` failed:\n{result.stdout}{result.stderr}")


class no_service_started:
    """Within the block, installing packages starts no service (policy-rc.d) and creates no database."""

    files = {
        Path("/usr/sbin/policy-rc.d"): ("#!/bin/sh\nexit 101\n", 0o755),
        Path("/etc/postgresql-common/createcluster.conf"): ("create_main_cluster = false\n", 0o644),
    }

    def __enter__(self) -> None:
        self.created = [path for path in self.files if not path.exists()]
        for path in self.created:
            text, mode = self.files[path]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(mode)

    def __exit__(self, *_exception: object) -> None:
        for path in self.created:
            path.unlink(missing_ok=True)
