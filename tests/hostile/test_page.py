"""docs/explanations/security.md tells of every attack there is, and of no other."""

import re
from pathlib import Path

from tests.hostile.targets import HERE

PAGE = (Path(__file__).parents[2] / "docs" / "explanations" / "security.md").read_text()
FOLDERS = ("attacks", "attacks_c", "builds", "functions")
FILES = [path for folder in FOLDERS for path in (HERE / folder).iterdir() if path.is_file()]


def test_every_attack_is_in_the_table_and_every_name_in_the_table_is_an_attack():
    table = PAGE.partition("| what an attacker may want | ")[2].partition("\n\n")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    named = re.findall(r"`(\w+)`", " ".join(row.split("|")[2] for row in rows))
    assert sorted(named) == sorted(path.stem for path in FILES)


def test_the_page_says_how_many_there_are():
    told = re.search(r"(\d+) attacks on each of 2 backends", PAGE)
    assert told
    assert int(told[1]) == len(FILES)
