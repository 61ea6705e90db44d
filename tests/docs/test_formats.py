"""docs/reference/formats.md lists every field of the files that a match leaves."""

import json
import re
from pathlib import Path

import pytest

from agon.site.archives.tables import SeatRow

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")


def fields(heading: str) -> set[str]:
    """The names in the first column of the tables below this heading."""
    part = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return {
        name
        for row in re.findall(r"^\| (`[^|]+) \|", part, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }


@pytest.mark.slow
def test_the_files_of_a_match_have_the_fields_of_the_page(agon, tmp_path) -> None:
    agon("play", "honest_rps", "Stone", "Dice", "--seed", "1", "--save", tmp_path / "saved")
    folder = tmp_path / "saved"

    assert json.loads((folder / "matches/0/record.json").read_text()).keys() == fields("record.json")
    assert json.loads((folder / "matches/0/times.json").read_text()).keys() == fields("times.json")
    manifest = json.loads((folder / "manifest.json").read_text()).keys()
    assert manifest <= fields("manifest.json")
    of_sites = {"salt", "draw", "commitment", "site", "chain", "match", "environments", "draws"}
    assert fields("manifest.json") - manifest == of_sites | {
        "format_settings",
        "ratings",
        "stopped",
        "departures",
    }


def test_the_tables_of_results_have_the_columns_of_the_page() -> None:
    assert fields("results.csv, results.jsonl, results.parquet") == set(SeatRow._fields)
