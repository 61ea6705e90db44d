"""Debian packages that the tests need: which are missing, and how root gets them."""

import os
import shutil
import subprocess
from pathlib import Path

# A program or file that a package brings, and the package.
NEEDED = {
    "gcc": "gcc",
    "g++": "g++",
    "xgettext": "gettext",
    "/usr/lib/x86_64-linux-gnu/libc.so|/usr/lib/aarch64-linux-gnu/libc.so": "libc6-dev",
    "/usr/lib/postgresql": "postgresql",
    "redis-server": "redis-server",
    "dockerd": "docker.io",
    "mmdebstrap": "mmdebstrap",
    "chromium": "chromium",
    "/usr/share/fonts/truetype/dejavu": "fonts-dejavu-core",
}


def missing() -> list[str]:
    return [package for signs, package in NEEDED.items() if not any(map(is_there, signs.split("|")))]


def is_there(sign: str) -> bool:
    return Path(sign).exists() if sign.startswith("/") else shutil.which(sign) is not None


def install(packages: list[str]) -> None:
    """Install `packages` without starting what they bring. Raises Failed with what apt said."""
    with services_left_alone():
        apt_get("update")
        apt_get("install", "--yes", "--no-install-recommends", *packages)


class Failed(Exception):
    pass


def apt_get(*words: str) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "-qq", "-o", "Dpkg::Use-Pty=0", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failed(f"`{' '.join(command)}` failed:\n{done.stdout}{done.stderr}")


class services_left_alone:
    """While it lasts, installing a package starts no service (Debian's policy-rc.d) and makes no database."""

    files = {
        Path("/usr/sbin/policy-rc.d"): ("#!/bin/sh\nexit 101\n", 0o755),
        Path("/etc/postgresql-common/createcluster.conf"): ("create_main_cluster = false\n", 0o644),
    }

    def __enter__(self) -> None:
        self.made = [path for path in self.files if not path.exists()]
        for path in self.made:
            text, mode = self.files[path]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(mode)

    def __exit__(self, *_exception: object) -> None:
        for path in self.made:
            path.unlink(missing_ok=True)
