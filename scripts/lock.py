"""`make lock`: pin requirements/*.in anew: every package, its exact version, the hashes of all its files.

The packages come from wherever pip is set up to find them; nothing of that is written into the locks.
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
    for name in ("runtime", "test"):  # in this order: test.in is held to the versions of runtime.txt
        source, lock = f"requirements/{name}.in", f"requirements/{name}.txt"
        subprocess.run([*COMPILE, "--output-file", lock, source], cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    main()
