"""`agon play` and `agon tournament` with real bots, sandboxed: scores, archives, exit codes."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from games.core.record import from_json

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_bubblewrap")]

BOTS = Path(__file__).resolve().parents[2] / "bots"
COUP_C, COUP_PY = BOTS / "coup/good.c", BOTS / "coup/good.py"
SAMURAI = [
    BOTS / "samurai/good.py",
    BOTS / "samurai/good.c",
    BOTS / "samurai/good.cpp",
    BOTS / "samurai/garbage.py",
]
BACKENDS = ["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)]


@pytest.fixture(scope="module")
def series(agon):
    """Five matches of Coup between a C and a Python bot on a backend; played once."""
    done = {}

    def run(backend):
        if backend not in done:
            done[backend] = agon(
                "play", "coup", COUP_C, COUP_PY, "--matches", 5, "--seed", 1, "--sandbox", backend, "--json"
            )
        return done[backend]

    return run


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.compilers
def test_play_prints_one_document_with_matches_and_standings(series, backend):
    ran = series(backend)
    assert (ran.code, ran.err) == (0, "")
    assert list(ran.json) == ["game", "sandbox", "seconds", "digest", "matches", "standings"]
    assert (ran.json["game"], ran.json["sandbox"]) == ("coup", backend)
    assert [match["seed"] for match in ran.json["matches"]] == list(range(1, 6))
    for match in ran.json["matches"]:
        assert match["seats"] == ["good", "good-2"]
        assert (match["scores"], match["ranks"]) in ((["1", "0"], [1, 2]), (["0", "1"], [2, 1]))
        assert match["faults"] == []
        assert match["seconds"] > 0
    standings = {row["bot"]: row for row in ran.json["standings"]}
    for seat, name in enumerate(("good", "good-2")):
        won = sum(match["scores"][seat] == "1" for match in ran.json["matches"])
        assert (standings[name]["points"], standings[name]["won"]) == (str(won), won)
        assert standings[name]["played"] == 5


@pytest.mark.docker
def test_both_sandboxes_give_the_same_scores(series):
    scores = [
        [match["scores"] for match in series(backend).json["matches"]] for backend in ("bubblewrap", "docker")
    ]
    assert scores[0] == scores[1]


@pytest.mark.compilers
def test_the_seed_of_one_match_plays_it_again(series, agon):
    third = agon("play", "coup", COUP_C, COUP_PY, "--seed", 3, "--json").json["matches"]
    assert third[0]["scores"] == series("bubblewrap").json["matches"][2]["scores"]


def test_faults_are_told_with_seat_kind_turn_and_reason(agon):
    ran = agon("play", "coup", BOTS / "coup/crash_later.py", COUP_PY, "--seed", 1, "--json")
    assert ran.code == 0
    [fault] = ran.json["matches"][0]["faults"]
    assert fault | {"reason": ""} == {"seat": 0, "kind": "crash", "step": 4, "reason": ""}
    assert "exited with status 1" in fault["reason"]
    assert ran.json["standings"][1]["faults"] == 1


def test_for_people_there_are_tables(agon):
    ran = agon("play", "coup", BOTS / "coup/exits.py", COUP_PY, "--seed", 1)
    assert ran.code == 0
    assert "exits 0, good 1" in ran.out
    assert "exits: crash: call 1: exited with status 3" in ran.out
    assert ["1", "good", "1", "1", "1", "0", "0"] in [line.split() for line in ran.out.splitlines()]


@pytest.mark.exhaustive
def test_points_are_a_mixed_number_in_tables_and_exact_in_data(agon):
    four = [BOTS / "samurai/good.py"] * 3 + [BOTS / "samurai/garbage.py"]
    ran, data = (agon("play", "samurai", *four, "--seed", 2, *more) for more in ([], ["--json"]))
    assert data.json["matches"][0]["scores"] == ["44/3", "44/3", "44/3", "-44"]
    assert "good 14 2/3, good-2 14 2/3, good-3 14 2/3, garbage −44" in ran.out


def test_house_bots_are_played_by_name_and_a_path_wins_where_it_looks_like_one(agon, agon_here, tmp_path):
    games = {game["slug"]: game for game in agon_here("games", "--json").json}
    house = games["coup"]["house_bots"][0]
    (tmp_path / house).mkdir()
    (tmp_path / house / "bot.py").write_text(COUP_PY.read_text())
    ran = agon("play", "coup", house, f"./{house}", "--json", cwd=tmp_path)
    assert ran.json["matches"][0]["seats"] == [house, f"{house}-2"]


@pytest.mark.compilers
def test_a_bot_that_does_not_build_ends_it_with_the_log(agon):
    ran = agon("play", "coup", BOTS / "coup/compile_error.c", COUP_PY)
    assert (ran.code, ran.out) == (2, "")
    assert "error:" in ran.err
    assert "compile_error does not build" in ran.err


def test_without_a_usable_sandbox_the_exit_code_is_3(agon, environment, monkeypatch):
    monkeypatch.setitem(environment, "DOCKER_HOST", "unix:///nonexistent/docker.sock")
    ran = agon("play", "coup", COUP_PY, COUP_PY, "--sandbox", "docker")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("agon: ")


@pytest.mark.compilers
def test_a_saved_series_is_an_archive_that_verifies(agon, agon_here, tmp_path):
    ran = agon(
        "play", "coup", COUP_C, COUP_PY, "--matches", 3, "--seed", 5, "--save", tmp_path / "a", "--json"
    )
    assert ran.code == 0
    names = sorted(
        path.relative_to(tmp_path / "a").as_posix() for path in (tmp_path / "a").rglob("*") if path.is_file()
    )
    assert names[:5] == [
        "SHA256SUMS",
        "manifest.json",
        "matches/0/0-good.stderr",
        "matches/0/1-good-2.stderr",
        "matches/0/good_good-2_0_0.txt",
    ]
    record = from_json((tmp_path / "a/matches/2/record.json").read_bytes())
    assert (record.seed, list(record.scores)) == (7, ran.json["matches"][2]["scores"])
    verified = agon_here("verify", tmp_path / "a", tmp_path / "a/matches/0/record.json", "--json")
    assert verified.code == 0
    assert [(report["sound"], report["matches"]) for report in verified.json] == [(True, 3), (True, 1)]


@pytest.mark.exhaustive
@pytest.mark.compilers
def test_a_tampered_archive_fails_verification(agon, agon_here, tmp_path):
    agon("play", "coup", COUP_C, COUP_PY, "--save", tmp_path / "a")
    history = tmp_path / "a/matches/0/good_good-2_0_0.txt"
    history.write_text(history.read_text() + "p")
    ran = agon_here("verify", tmp_path / "a")
    assert ran.code == 1
    assert "matches/0/good_good-2_0_0.txt: changed" in ran.out
    assert "matches/0/good_good-2_0_0.txt: not what the record leads to" in ran.out


def results(ran):
    kept = ("seed", "seats", "scores", "ranks", "faults")
    return [{name: match[name] for name in kept} for match in ran.json["matches"]]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.compilers
def test_a_tournament_is_the_same_however_many_jobs_play_it(agon, agon_here, tmp_path, backend):
    bots = [COUP_C, COUP_PY, BOTS / "coup/crash_later.py"]
    runs = [
        agon(
            "tournament",
            "coup",
            *bots,
            "--rounds",
            2,
            "--seed",
            9,
            "--jobs",
            jobs,
            "--sandbox",
            backend,
            "--save",
            tmp_path / str(jobs),
            "--json",
        )
        for jobs in (1, 2)
    ]
    assert [ran.code for ran in runs] == [0, 0]
    assert len(results(runs[0])) == 12
    assert results(runs[0]) == results(runs[1])
    assert runs[0].json["standings"] == runs[1].json["standings"]
    assert (tmp_path / "1/standings.csv").read_bytes() == (tmp_path / "2/standings.csv").read_bytes()
    assert (tmp_path / "2/matches/11/crash_later_good-2_1_5.txt").is_file()
    assert agon_here("verify", tmp_path / "1", tmp_path / "2").code == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.compilers
def test_a_samurai_tournament_rotates_four_languages_through_the_seats(agon, agon_here, tmp_path, backend):
    ran = agon(
        "tournament",
        "samurai",
        *SAMURAI,
        "--seed",
        2,
        "--sandbox",
        backend,
        "--save",
        tmp_path / "a",
        "--json",
    )
    assert ran.code == 0
    assert len(ran.json["matches"]) == 4
    assert all(match["faults"] == [] for match in ran.json["matches"])
    for seat in range(4):
        assert len({match["seats"][seat] for match in ran.json["matches"]}) == 4
    assert agon_here("verify", tmp_path / "a").code == 0


@pytest.mark.exhaustive
def test_a_tournament_without_options_is_the_original_contest(agon):
    """Coup: ten rounds of all ordered pairs, a point a win."""
    ran = agon("tournament", "coup", "Miser", "Honest", "--json")
    matches = ran.json["matches"]
    assert [match["seats"] for match in matches] == [["Miser", "Honest"], ["Honest", "Miser"]] * 10
    winners = [match["seats"][match["ranks"].index(1)] for match in matches if match["ranks"] != [1, 1]]
    points = {row["bot"]: int(row["points"]) for row in ran.json["standings"]}
    assert points == {name: winners.count(name) for name in ("Miser", "Honest")}


def test_rounds_scale_the_original_contest_self_play_included(agon):
    """Honest Rock-Paper-Scissors: one of the hundred rounds; the points of both seats of a bot count."""
    ran = agon("tournament", "honest_rps", "Stone", "Dice", "--rounds", 1, "--json")
    matches = ran.json["matches"]
    assert [tuple(match["seats"]) for match in matches] == [
        ("Stone", "Stone"),
        ("Stone", "Dice"),
        ("Dice", "Stone"),
        ("Dice", "Dice"),
    ]
    for row in ran.json["standings"]:
        scores = [
            int(score)
            for match in matches
            for name, score in zip(match["seats"], match["scores"], strict=True)
            if name == row["bot"]
        ]
        assert (int(row["points"]), row["played"]) == (sum(scores), 4)


@pytest.mark.exhaustive
def test_a_round_of_camel_up_is_a_drawn_game_for_every_started_ten_bots(agon):
    ran = agon(
        "tournament", "camel_up", *["Roller"] * 7, *["Dabbler"] * 4, "--rounds", 2, "--seed", 1, "--json"
    )
    matches = ran.json["matches"]
    assert len(matches) == 4
    assert all(len(set(match["seats"])) == 4 for match in matches)
    best = sum(match["ranks"].count(1) for match in matches)
    rows = ran.json["standings"]  # points are the mean of a match: not all play equally often
    assert sum(Fraction(row["points"]) * row["played"] for row in rows) == best


@pytest.fixture
def long_series(environment, tmp_path):
    """A running `agon play` of 5000 slow matches, saved in tmp_path/a, of which some have been played."""
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ntime.sleep(0.02)\n" + COUP_PY.read_text())
    arguments = ["play", "coup", slow, COUP_PY, "--matches", 5000, "--save", tmp_path / "a", "--json"]
    arguments += ["--sandbox", "bubblewrap"]
    running = subprocess.Popen(
        [sys.executable, "-m", "agon", *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 120
        while not (tmp_path / "a/matches/1/record.json").exists():
            assert time.monotonic() < deadline
            with contextlib.suppress(subprocess.TimeoutExpired):
                pytest.fail(f"it ended by itself: {running.wait(timeout=0.02)}")
        yield running
    finally:
        running.kill()
        running.communicate()


def children_of(pid):
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def descendants_of(pid):
    """Descriptors of all processes below this one that are still there: workers, boxes, agents, bots."""
    pidfds = []
    for child in children_of(pid):
        with contextlib.suppress(ProcessLookupError):
            pidfds.append(os.pidfd_open(child))
        pidfds += descendants_of(child)
    return pidfds


def end_early(running, agon_here, archive, pid, number):
    """Send a signal; a sound archive is left, and no process. Returns stderr and how many were played."""
    below = descendants_of(running.pid)
    assert len(below) >= 5  # a worker, and two processes or more for each of two boxes
    os.kill(pid, number)
    out, err = running.communicate(timeout=60)
    for pidfd in below:
        assert select.select([pidfd], [], [], 60)[0], "a process has outlived the command"
        os.close(pidfd)
    played = len(json.loads(out)["matches"])
    verified = agon_here("verify", archive, "--json")
    assert (verified.code, verified.json[0]["matches"]) == (0, played)
    assert verified.json[0]["notes"] == [
        "the contest was stopped before its end",
        f"{5000 - played} matches are unplayed",
    ]
    return err, played


@pytest.mark.first(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_end_cleanly_with_what_was_played_saved(long_series, agon_here, tmp_path, number):
    err, played = end_early(long_series, agon_here, tmp_path / "a", long_series.pid, number)
    assert err == f"agon: stopped; {played} of 5000 matches were played and are saved in {tmp_path}/a\n"
    assert long_series.returncode == 130


def test_a_worker_that_dies_ends_the_run_with_what_was_played_saved(long_series, agon_here, tmp_path):
    [worker] = children_of(long_series.pid)
    err, played = end_early(long_series, agon_here, tmp_path / "a", worker, signal.SIGKILL)
    assert "a worker process ended unexpectedly (exit code -9)" in err
    assert f"{played} of 5000 matches were played and are saved in {tmp_path}/a" in err
    assert long_series.returncode == 3
