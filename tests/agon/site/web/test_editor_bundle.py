"""The bundle of the code editor: complete, licensed, and made from a lock that names no registry."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
BUNDLE = ROOT / "static" / "editor"
FRONTEND = ROOT / "frontend"
IMPORTED = re.compile(r"""(?:from|import)\(?"\./([^"]+)"\)?""")


@pytest.fixture(scope="module")
def modules() -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in BUNDLE.glob("*.js")}


def test_every_module_that_is_imported_is_there_and_no_other(modules):
    imported = {name for text in modules.values() for name in IMPORTED.findall(text)}
    assert imported == modules.keys() - {"codemirror.js"}


def test_the_name_of_a_module_that_is_imported_changes_with_its_text(modules):
    """Browsers may keep it forever. No file imports the entry, since it would be there twice."""
    assert all(re.fullmatch(r"[\w-]+-[0-9A-Z]{8}\.js", name) for name in modules.keys() - {"codemirror.js"})


def test_the_license_of_each_package_that_a_browser_gets_is_there():
    notices = (BUNDLE / "LICENSES.txt").read_text("utf-8")
    locked = json.loads((FRONTEND / "package-lock.json").read_text())["packages"]
    wanted = json.loads((FRONTEND / "package.json").read_text())["dependencies"]
    for name in wanted:
        assert f"{name} {locked[f'node_modules/{name}']['version']}\n" in notices, "make editor was not run"
    assert notices.count("MIT License") + notices.count("MIT license") >= len(wanted)


def test_the_lock_has_digests_and_names_no_registry():
    lock = json.loads((FRONTEND / "package-lock.json").read_text())
    packages = {name: facts for name, facts in lock["packages"].items() if name}
    assert [name for name, facts in packages.items() if "integrity" not in facts] == []
    assert [name for name, facts in packages.items() if "resolved" in facts] == []


def test_every_language_of_the_site_is_colored_but_php(modules):
    source = (FRONTEND / "codemirror.js").read_text("utf-8")
    colored = set(re.findall(r"^  (\w+): (?:legacy\(|async)", source, re.MULTILINE))
    offered = {path.stem for path in (ROOT / "sandbox" / "languages").glob("*.toml")}
    assert offered - colored == {"php"}
