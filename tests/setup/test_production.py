"""What docker-compose.yml and deploy/ ask for exists and is explained."""

import re
from pathlib import Path

from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = (ROOT / "docker-compose.yml").read_text()


def test_every_variable_of_the_compose_file_is_explained_at_its_top():
    header = COMPOSE.partition("\nname:")[0]
    explained = set(re.findall(r"^#   ([A-Z_]+)\b", header, re.MULTILINE))
    assert set(re.findall(r"\$\{([A-Z_]+)", COMPOSE)) == explained


def test_every_setting_of_the_compose_file_is_one_that_agon_reads():
    given = set(re.findall(r"^    ([A-Z_]+):", COMPOSE.partition("\nservices:")[0], re.MULTILINE))
    folders = (ROOT / "platform" / "agon", ROOT / "platform" / "pipeline", ROOT / "sandbox")
    sources = [source for folder in folders for source in folder.rglob("*.py")]
    code = "".join(source.read_text() for source in sources)
    assert given
    assert {name for name in given if f'"{name.removesuffix("_FILE")}"' not in code} == set()


def test_every_command_of_the_preparation_exists():
    script = (ROOT / "deploy" / "prepare.sh").read_text()
    wanted = set(re.findall(r"manage\.py (\w+)", script))
    assert wanted
    assert wanted <= get_commands().keys()


def test_nothing_that_a_site_runs_is_kept_out_of_its_image():
    """Only what is named gets into it."""
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line.startswith("!")}
    run = {"games", "sandbox", "platform", "templates", "static", "locale", "deploy", "vendor", "manage.py"}
    assert run <= kept
