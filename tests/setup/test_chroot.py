"""A sandbox for root in a plain chroot, where the kernel makes no user namespaces."""

import os
import shlex
import subprocess
import sys

import pytest

IN_CHROOT = """
set -e
mkdir "$1"
for path in /*; do
    if [ -L "$path" ]; then cp -d "$path" "$1"
    elif [ -d "$path" ]; then mkdir "$1$path"; mount --rbind "$path" "$1$path"
    fi
done
exec chroot "$1" sh -c "cd $2 && $3"
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a chroot, or leave one")
def test_bots_are_sandboxed_in_a_chroot_too(tmp_path):
    command = shlex.join([sys.executable, "-m", "agon", "play", "samurai", *["StarterPy"] * 4])
    result = subprocess.run(
        ["unshare", "--mount", "sh", "-c", IN_CHROOT, "sh", tmp_path / "root", os.getcwd(), command],
        env=os.environ | {"AGON_SANDBOX": "bubblewrap"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "StarterPy" in result.stdout
