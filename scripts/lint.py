"""`make lint`: runs ruff, mypy and import-linter, each even if another fails, and names those that failed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
CHECKS = [
    ["ruff", "check", "."],
    ["ruff", "format", "--check", "."],
    ["mypy"],
    ["lint-imports"],
]


def main() -> None:
    failed = [
        check[0] for check in CHECKS if subprocess.run([BIN / check[0], *check[1:]], cwd=ROOT).returncode != 0
    ]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
