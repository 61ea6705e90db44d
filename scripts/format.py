"""`make format`: formats the Python files and sorts their imports."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUFF = ROOT / ".venv" / "bin" / "ruff"

if __name__ == "__main__":
    subprocess.run([RUFF, "check", "--quiet", "--fix", "--exit-zero", "."], cwd=ROOT, check=True)
    subprocess.run([RUFF, "format", "."], cwd=ROOT, check=True)
