"""Where results go: an output that takes only some characters, is full or closed loses no match."""

import subprocess
import sys

import pytest

PLAY = ["play", "samurai", *["games/samurai/bots/starter.py"] * 2, "greedy", "greedy", "--seed", "3"]


def agon(environment, *arguments, redirect: str = "") -> subprocess.CompletedProcess[bytes]:
    command = f'exec "$0" -m agon "$@" {redirect}'
    return subprocess.run(
        ["sh", "-c", command, sys.executable, *arguments], env=environment, capture_output=True, timeout=300
    )


@pytest.mark.first(1)
@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_an_encoding_without_a_character_is_no_error(environment, encoding):
    usual = agon(environment, *PLAY)
    there = agon(environment | {"PYTHONIOENCODING": encoding}, *PLAY)
    assert (there.returncode, there.stderr) == (0, b"")
    assert there.stdout == usual.stdout.decode().encode(encoding, "backslashreplace")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [PLAY, [*PLAY, "--json"]], ids=["table", "json"])
def test_what_a_full_output_does_not_take_is_on_standard_error(environment, arguments):
    done = agon(environment, *arguments, redirect=">/dev/full")
    assert done.returncode == 1
    said = done.stderr.decode()
    assert said.startswith("agon: standard output cannot be written: No space left on device\n")
    assert "starter-2" in said
    assert "internal error" not in said
    assert "Exception ignored" not in said


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["play", "--help"], ["completion", "bash"]])
def test_a_full_output_is_said_by_every_command(environment, arguments):
    done = agon(environment, *arguments, redirect=">/dev/full")
    assert done.returncode == 1
    assert done.stderr.startswith(b"agon: standard output cannot be written: No space left on device\n")
    assert b"Exception ignored" not in done.stderr


def test_a_full_output_is_said_where_nothing_is_buffered_too(environment):
    done = agon(environment | {"PYTHONUNBUFFERED": "1"}, "games", redirect=">/dev/full")
    assert done.stderr.startswith(b"agon: standard output cannot be written: No space left on device\n")
    assert b"samurai" in done.stderr


def test_a_closed_output_is_refused_before_anything_is_played(environment):
    done = agon(environment, *PLAY, redirect=">&-")
    assert done.returncode == 2
    assert done.stderr == b"agon: standard output is closed: expected a terminal, a file or a pipe\n"
