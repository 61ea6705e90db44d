"""A Redis that answers, and takes no writes: a replica, or one that cannot save to its disk or is full."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[4]
LOOK = """
import django
django.setup()
from agon.site.core import readiness
print(next(found.detail for found in readiness.look() if found.name == "broker"))
"""


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    if shutil.which("redis-server") is None:
        pytest.skip("needs redis-server")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    command = ["redis-server", *options, "--min-replicas-to-write", "1"]  # and there is none
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            until = time.monotonic() + 30
            while time.monotonic() < until:
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
            yield port
        finally:
            server.terminate()


def test_it_is_not_ready_and_the_operator_reads_why(port: int, tmp_path: Path) -> None:
    """No notice arrives there: builds and matches would wait, and no alarm would sound."""
    own = {
        "DJANGO_SETTINGS_MODULE": "agon.site.settings",
        "DATABASE_URL": f"sqlite:///{tmp_path}/site.sqlite3",
        "REDIS_URL": f"redis://127.0.0.1:{port}/0",
        "AGON_VAR": str(tmp_path / "var"),
        "PYTHONPATH": f"{ROOT}:{ROOT}/platform",
    }
    looked = subprocess.run(
        [sys.executable, "-c", LOOK],
        env=os.environ | own,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert looked.returncode == 0, looked.stderr
    assert "NOREPLICAS" in looked.stdout
