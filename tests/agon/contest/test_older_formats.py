"""Archives and records of every format before the present one are still read, replayed and sound.

`tests/data/format_1` holds what the command line and a site wrote before steps had their name, `format_2`
what they wrote while a record held frames, messages and times.
"""

import json
import shutil
from pathlib import Path

import pytest

from agon.contest.archive.verify import verify
from games.core.match_log_json import from_json, to_json

DATA = Path(__file__).parents[2] / "data"
MATCHES = {
    1: {"camel_up": 1, "coup": 2, "honest_rps": 9, "language_survival": 1, "samurai": 1},
    2: {"camel_up": 1, "coup": 2, "honest_rps": 4, "language_survival": 1, "samurai": 1},
}
ARCHIVES = [(number, game, count) for number, games in MATCHES.items() for game, count in games.items()]


@pytest.mark.parametrize(("number", "game", "count"), ARCHIVES)
def test_an_archive_of_an_older_format_is_sound(number, game, count):
    report = verify(DATA / f"format_{number}" / f"{game}.zip")
    assert (report.differences, report.matches, report.signature) == ((), count, "unsigned")
    [note] = report.notes
    assert f"an archive of format {number}: it does not say why matches are missing" in note


@pytest.mark.parametrize(("number", "game", "count"), ARCHIVES)
def test_a_record_of_an_older_format_is_sound(number, game, count, tmp_path):
    shutil.unpack_archive(DATA / f"format_{number}" / f"{game}.zip", tmp_path)
    paths = list(tmp_path.glob("matches/*/record.json"))
    assert len(paths) == count
    for path in paths:
        text = path.read_text()
        assert json.loads(text)["format"] == number
        assert verify(path).differences == ()
        assert to_json(from_json(text)) == text


@pytest.mark.parametrize(("number", "game", "step"), [(1, "honest_rps", "turn"), (2, "samurai", "step")])
def test_a_forged_fault_in_a_record_of_an_older_format_is_found(number, game, step, tmp_path):
    shutil.unpack_archive(DATA / f"format_{number}" / f"{game}.zip", tmp_path)
    path = tmp_path / "matches/0/record.json"
    record = json.loads(path.read_text())
    was = record["faults"][0][step]
    record["faults"][0][step] = 8
    path.write_text(json.dumps(record))
    assert f"faults[0].{step}: 8 in the record, {was} when played again" in verify(path).differences


FORGERIES = {
    "ranks[0]": lambda record: record["ranks"].reverse(),
    "frames[0].strengths": lambda record: record["frames"][0]["strengths"].reverse(),
    "frames": lambda record: record["frames"].pop(),
    "exchanges[0].sent": lambda record: record["exchanges"][0].update(sent="9 9 9"),
    "exchanges[0].step": lambda record: record["exchanges"][0].update(step=1),
    "exchanges": lambda record: record["exchanges"].pop(),
    "summary.winner": lambda record: record["summary"].update(winner=9),
}


@pytest.mark.parametrize("field", FORGERIES)
def test_what_only_older_formats_hold_is_derived_and_compared(field, tmp_path):
    shutil.unpack_archive(DATA / "format_2" / "samurai.zip", tmp_path)
    path = tmp_path / "matches/0/record.json"
    record = json.loads(path.read_text())
    FORGERIES[field](record)
    path.write_text(json.dumps(record))
    found = verify(path).differences
    assert found
    assert found[0].startswith((field, "as a record of format 3: answers"))
