"""What the contracts of import-linter (`make lint`) cannot say about imports."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("agon", "games", "sandbox")


def test_no_files_import_each_other_in_a_circle():
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}

    assert list(circles(imports)) == []


def circles(imports: dict[str, set[str]]) -> Iterator[list[str]]:
    """What is left when modules that import nothing of the rest are taken away, again and again."""
    left = dict(imports)
    while free := [module for module, needed in left.items() if not needed & left.keys()]:
        for module in free:
            del left[module]
    if left:
        yield sorted(left)


@pytest.mark.parametrize("script", ["bootstrap", "packages", "services", "changed"])
def test_a_script_of_the_set_up_needs_the_standard_library_alone(script):
    """`make setup` and `make test` run them before anything is installed."""
    folders = [str(ROOT / "scripts"), str(ROOT), str(ROOT / "platform")]
    code = f"import sys; sys.path[:0] = {folders!r}; import {script}"

    ran = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)

    assert (ran.returncode, ran.stderr) == (0, "")
