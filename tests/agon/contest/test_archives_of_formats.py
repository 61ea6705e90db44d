"""Archives of formats whose rounds follow from the results before: verified from the records alone."""

import dataclasses
import json
import shutil

import pytest

from agon.contest import formats
from agon.contest.archive.manifest import LONGEST_TEXT, Absent, ArchivedAct, Fate
from agon.contest.archive.verify import verify
from agon.contest.archive.writer import About
from agon.contest.formats import Absence
from agon.contest.standings import outcome_of
from tests.support.folders import write_folder

from .conftest import play
from .forgery import recount, sign


def played(header, void=()):
    """The matches of a contest, round by round; those in `void` by index could not be played."""
    plan, history, matches = header.plan, formats.History(absences=header.departures), []
    outcomes = []
    while (made := formats.next_round(plan, history, len(matches))) is not None:
        for scheduled, seed in zip(made, header.seeds.of_schedule(made), strict=True):
            if scheduled.index in void:
                matches.append(Absent(scheduled, Fate.VOID, "the host failed"))
                outcomes.append((scheduled.round, outcome_of(scheduled.seats, None, plan, ())))
            else:
                matches.append(play(header.game, header, scheduled, seed))
                outcomes.append((scheduled.round, outcome_of(scheduled.seats, matches[-1].result, plan, ())))
        history = formats.history_of(plan, outcomes, header.departures)
    return matches


@pytest.fixture
def swiss(tournament):
    """The header of a Swiss tournament of five bots over three rounds."""
    header, _ = tournament("coup", 5)
    return dataclasses.replace(header, format="swiss", rounds=3)


def test_a_swiss_tournament_is_verified_round_by_round(swiss, tmp_path):
    write_folder(tmp_path / "a", swiss, played(swiss))
    report = verify(tmp_path / "a")
    assert (report.differences, report.matches) == ((), 6)
    head = (tmp_path / "a/standings.csv").read_text().splitlines()[0]
    assert "buchholz" in head


@pytest.mark.parametrize("format", ["single_elimination", "double_elimination"])
def test_so_is_a_knock_out(tournament, tmp_path, format):
    header, _ = tournament("coup", 5)
    header = dataclasses.replace(
        header, format=format, format_settings=tuple(formats.with_defaults(format).items())
    )
    matches = played(header)
    write_folder(tmp_path / "a", header, matches)
    report = verify(tmp_path / "a")
    assert (report.differences, report.matches) == ((), len(matches))


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("format", "entrants", "chosen"),
    [
        ("single_elimination", 9, {"best_of": 2}),
        ("groups", 8, {"best_of": 1, "groups": 2, "advance": 3}),
        ("swiss", 13, {}),
    ],
)
def test_so_are_games_of_four_seats(tournament, tmp_path, format, entrants, chosen):
    header, _ = tournament("samurai", entrants)
    given = tuple(formats.with_defaults(format, chosen).items())
    header = dataclasses.replace(
        header, format=format, format_settings=given, rounds=2 if format == "swiss" else 1
    )
    matches = played(header, void={1})
    write_folder(tmp_path / "a", header, matches)
    report = verify(tmp_path / "a")
    assert (report.differences, report.matches) == ((), len(matches) - 1)


def test_a_void_match_and_a_withdrawn_bot_are_part_of_what_rounds_follow_from(swiss, tmp_path):
    header = dataclasses.replace(swiss, stopped=((4, "withdrawn"),), departures=(Absence(4, 1),))
    write_folder(tmp_path / "a", header, played(header, void={0}))
    report = verify(tmp_path / "a")
    assert report.differences == ()
    assert "1 match is void: the host failed" in report.notes


def test_long_reasons_and_many_departures_can_be_read_again(swiss, tmp_path):
    """Text of other alphabets takes up to twelve characters of the manifest for each of its own."""
    much = dataclasses.replace(
        swiss,
        stopped=tuple((number, "ж" * LONGEST_TEXT) for number in (2, 3, 4)),
        departures=tuple(Absence(4, 2 * since, 2 * since + 1) for since in range(50, 550)),
    )
    long = "😀" * LONGEST_TEXT
    numbers = {"matches": list(range(1000, 2200))}
    about = About(
        acts=tuple(ArchivedAct("", "ada", "rerun", "Cup", long, details) for details in (numbers, {}))
    )
    write_folder(tmp_path / "a", much, played(much), about)
    assert verify(tmp_path / "a").differences == ()
    acts = json.loads((tmp_path / "a/manifest.json").read_text())["acts"]
    assert [(act["reason"], act["details"]) for act in acts] == [(long, {"left out": "too long"}), (long, {})]


def test_a_last_round_that_was_taken_out_is_found(swiss, tmp_path):
    folder = tmp_path / "a"
    write_folder(folder, swiss, played(swiss))
    manifest = json.loads((folder / "manifest.json").read_text())
    for gone in manifest["matches"][4:]:
        shutil.rmtree(folder / f"matches/{gone['index']}")
    (folder / "manifest.json").write_text(json.dumps(manifest | {"matches": manifest["matches"][:4]}))
    recount(folder)
    sign(folder)
    assert verify(folder).differences == (
        "manifest.json: end: finished, though the format schedules another round",
    )


def test_a_round_that_does_not_follow_from_the_results_is_found(swiss, tmp_path):
    matches = played(swiss)
    second = [match.scheduled for match in matches if match.scheduled.round == 1]
    others = dict(zip(range(2, 4), [second[1].seats, second[0].seats], strict=True))
    forged = []
    for match in matches[:4]:
        scheduled = match.scheduled
        if scheduled.index in others:
            scheduled = dataclasses.replace(scheduled, seats=others[scheduled.index])
        forged.append(scheduled)
    made = [play("coup", swiss, *pair) for pair in zip(forged, swiss.seeds.of_schedule(forged), strict=True)]
    write_folder(tmp_path / "a", swiss, made)
    differences = verify(tmp_path / "a").differences
    assert "matches/2: not the match that the results before it lead to" in differences


def test_settings_that_no_format_has_are_refused(swiss, tmp_path):
    folder = tmp_path / "a"
    write_folder(folder, swiss, played(swiss))
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    for change, words in [
        ({"format_settings": {"color": 1}}, "settings: expected"),
        ({"format_settings": {"color": [1]}}, "color: expected a"),
        ({"departures": [{"entrant": 9, "since": 0, "until": None}]}, "departures[0].entrant: expected"),
        ({"departures": [1]}, "departures[0]: expected an object"),
    ]:
        path.write_text(json.dumps(manifest | change))
        [differences] = verify(folder).differences
        assert differences.startswith("manifest.json: ")
        assert words in differences
