"""`make lock`: upgrades the lock files in requirements/: every package with its version and file hashes.

They are made from pyproject.toml (the command line and the site) and requirements/*.in.

Packages come from the index that the user's pip configuration names; the lock files do not mention it.
"""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = ["--quiet", "--upgrade", "--generate-hashes", "--allow-unsafe", "--strip-extras"]
OPTIONS += [f"--no-emit-{part}" for part in ("index-url", "find-links", "trusted-host", "options")]
# In this order: runtime.txt constrains the versions of test.in.
SETS = {"runtime": ["--extra", "site", "pyproject.toml"], "test": []}


def main() -> None:
    environment = os.environ | {"CUSTOM_COMPILE_COMMAND": "make lock"}
    for name, more in SETS.items():
        source, lock = f"requirements/{name}.in", f"requirements/{name}.txt"
        command = [
            str(ROOT / ".venv" / "bin" / "pip-compile"),
            *OPTIONS,
            *more,
            "--output-file",
            lock,
            source,
        ]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    main()
