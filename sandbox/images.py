"""`python -m sandbox.images`: builds the images of the Docker backend (sandbox/backends/docker_images.py).

Without arguments it builds that of the core family, which every Docker sandbox needs; `python -m
sandbox.images native functional` builds those two. Where no registry can be reached, `--local-base` first
makes a base image from Debian packages with mmdebstrap.
"""

import argparse
import contextlib
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from sandbox.api import CORE, SandboxError
from sandbox.backends.docker_images import DEFAULT_BASE, build, connect, make_local_base, size, tag
from sandbox.languages.registry import families

_AT_ONCE = 2  # images built in parallel: each waits for packages, then uses one processor


def main() -> int:
    """The command: build the images of the families named as arguments."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.images", description=__doc__.split("\n")[0])
    base = os.environ.get("AGON_SANDBOX_BASE", DEFAULT_BASE)
    chosen = os.environ.get("AGON_SANDBOX_FAMILIES", CORE).split()
    known = f"some of {', '.join(families())} (default: {' '.join(chosen)})"
    parser.add_argument("family", nargs="*", default=chosen, help=known)
    parser.add_argument("--base", default=base, help=f"base image (default: {base})")
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
            for line in pool.map(
                lambda family: _build_missing(family, base, options.network), options.family
            ):
                print(line, flush=True)
    except SandboxError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _base(options: argparse.Namespace) -> str:
    """The base image, made here with --local-base."""
    if not options.local_base:
        return str(options.base)
    with contextlib.closing(connect()) as client:
        return make_local_base(client)


def _build_missing(family: str, base: str, network: str | None) -> str:
    """Build a family's image unless it exists; a line that says what was done."""
    with contextlib.closing(connect()) as client:
        present = size(client, family)
        if present is not None:
            return f"{tag(family)} is there already: {present / 1e6:.0f} MB"
        started = time.monotonic()
        build(client, family, base, network)
        seconds = time.monotonic() - started
        return f"{tag(family)} built on {base} in {seconds:.0f} s: {(size(client, family) or 0) / 1e6:.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
