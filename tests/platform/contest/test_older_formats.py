"""Archives and records of every format before the present one are still read, played again and sound.

`tests/data/before_issue` holds what the command line and a site wrote before steps had their name.
"""

import json
import shutil
from pathlib import Path

import pytest

from contest.archive.verify import verify
from games.core.record import from_json, to_json

BEFORE = Path(__file__).parents[2] / "data" / "before_issue"
ARCHIVES = {"camel_up": 1, "coup": 2, "honest_rps": 9, "language_survival": 1, "samurai": 1}


@pytest.fixture(params=ARCHIVES)
def archive(request, tmp_path):
    """An archive of format 1 as a folder."""
    shutil.unpack_archive(BEFORE / f"{request.param}.zip", tmp_path / request.param)
    return tmp_path / request.param


@pytest.mark.parametrize(("game", "matches"), ARCHIVES.items())
def test_an_archive_of_the_format_before_is_sound(game, matches):
    report = verify(BEFORE / f"{game}.zip")
    assert (report.differences, report.notes, report.matches) == ((), (), matches)


def test_a_record_of_the_format_before_is_sound(archive):
    for path in archive.glob("matches/*/record.json"):
        text = path.read_text()
        assert json.loads(text)["format"] == 1
        assert verify(path).differences == ()
        assert to_json(from_json(text)) == text


@pytest.mark.parametrize("game", ["honest_rps"])
def test_a_forged_fault_in_a_record_of_the_format_before_is_found(game, tmp_path):
    shutil.unpack_archive(BEFORE / f"{game}.zip", tmp_path)
    path = tmp_path / "matches/0/record.json"
    record = json.loads(path.read_text())
    record["faults"][0]["turn"] = 4
    path.write_text(json.dumps(record))
    assert "faults[0].turn: 4 in the record, 6 when played again" in verify(path).differences
