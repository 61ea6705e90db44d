"""`make wheel`: builds dist/agon-VERSION-py3-none-any.whl.

`pip install` of it brings the command line; with the extra `site` also the web site.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = str(ROOT / ".venv" / "bin" / "python")


def build(folder: Path) -> Path:
    """Build the wheel into `folder`; returns its path. Raises subprocess.CalledProcessError."""
    command = [PYTHON, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return max(folder.glob("agon-*.whl"), key=lambda wheel: wheel.stat().st_mtime)


if __name__ == "__main__":
    try:
        print(build(ROOT / "dist"))
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.stdout.decode()}\nThe wheel could not be built: the reason is above.")
