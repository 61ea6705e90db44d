"""What is generated in docs/ is up to date (`make docs`); results say when and where they were measured."""

import ast
import json
import re
from pathlib import Path

import pytest

from agon.site import settings
from agon.site.core.setting_table import Variable
from scripts import docs

ROOT = Path(__file__).resolve().parents[2]
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.json"))
# Set by the platform itself for its own processes, or by others for theirs.
NOT_SETTINGS = {
    "DJANGO_SETTINGS_MODULE",
    "CELERY_SKIP_CHECKS",
    "AGON_CORE",
    "AGON_GROUP",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
}
READ = re.compile(
    r"""(?:environ(?:\.get\(|\[)|env\.\w+\(\s*|\bsecret\(|envvar=|SETTING = )"([A-Z][A-Z_]+)\""""
)


@pytest.fixture(scope="module")
def variables() -> dict[str, Variable]:
    return {variable.name: variable for _group, group in docs.variables_by_group() for variable in group}


def test_generated_parts_are_up_to_date() -> None:
    """If not: `make docs`."""
    stale = [path for path, text in docs.generated().items() if path.read_text(encoding="utf-8") != text]
    assert stale == []


def test_every_environment_variable_that_the_code_reads_is_in_the_settings(variables) -> None:
    files = [path for folder in ("platform", "sandbox", "games") for path in (ROOT / folder).rglob("*.py")]
    read = {name for path in files for name in READ.findall(path.read_text(encoding="utf-8"))}
    assert read - NOT_SETTINGS == variables.keys()


def test_defaults_are_those_of_the_code(variables) -> None:
    calls = [
        node
        for node in ast.walk(ast.parse(Path(settings.__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("env.int", "env.float")
    ]
    defaults = {call.args[0].value: call.keywords[0].value.value for call in calls}
    assert "AGON_SITE_MIB" in defaults
    assert {name: float(variables[name].default) for name in defaults} == defaults


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_results_say_when_and_where_they_were_measured(path) -> None:
    result = json.loads(path.read_text(encoding="utf-8"))
    assert result.keys() - {"targets"} == {"date", "commit", "host", "command", "conditions", "tables"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", result["date"])
    assert re.fullmatch(r"[0-9a-f]{8}", result["commit"])
    assert result["host"].keys() == {"cores", "processor", "kernel", "python"}
    for table in result["tables"].values():
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_every_table_of_results_is_in_a_document(path) -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    tables = json.loads(path.read_text(encoding="utf-8"))["tables"]
    assert [key for key in tables if f"<!-- results: {path.stem}/{key} -->" not in pages] == []


@pytest.mark.parametrize(
    ("measured", "wanted", "met"),
    [
        ("5.14x", ">= 8x", False),
        ("8x", ">= 8x", True),
        ("4.68 ms", "<= 5 ms", True),
        ("1,373 ms", "<= 150 ms", False),
        ("0", "= 0", True),
    ],
)
def test_a_target_is_met_or_not(measured, wanted, met) -> None:
    assert docs.is_met(measured, wanted) is met
