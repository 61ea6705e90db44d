"""`make lock`: upgrades the lock files of requirements/*.in: every package with its version and file hashes.

Packages come from the index that the user's pip configuration names; the lock files do not mention it.
"""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILE = [
    str(ROOT / ".venv" / "bin" / "pip-compile"),
    "--quiet",
    "--upgrade",
    "--generate-hashes",
    "--allow-unsafe",
    "--strip-extras",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-emit-options",
]


def main() -> None:
    environment = os.environ | {"CUSTOM_COMPILE_COMMAND": "make lock"}
    for name in ("runtime", "test"):  # in this order: runtime.txt constrains the versions of test.in
        source, lock = f"requirements/{name}.in", f"requirements/{name}.txt"
        subprocess.run([*COMPILE, "--output-file", lock, source], cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    main()
