"""`agon play --browser`: the player, on this machine only."""

import http.client
import json
import re
import signal
import subprocess
import sys

import pytest

from .conftest import BOTS

TALK = """import sys
print('@debug {"text": "thinking"}', file=sys.stderr)
print("loud", file=sys.stderr)
"""


@pytest.fixture
def served(with_bubblewrap, environment, tmp_path):
    """A match of a bot that talks, shown in a browser that does nothing; its host and port."""
    talker = tmp_path / "Talker.py"
    talker.write_text(TALK + (BOTS / "coup" / "good.py").read_text())
    command = [sys.executable, "-m", "agon", "play", "coup", str(talker), "Miser", "--seed", "3", "--browser"]
    process = subprocess.Popen(
        command,
        env={**environment, "BROWSER": "true"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if matched := re.search(r"replay: http://([\d.]+:\d+)/", line):
            break
    else:
        raise AssertionError("it ended before it served anything")
    yield matched[1]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "Miser" in out


def get(host, path, named=None):
    connection = http.client.HTTPConnection(host, timeout=30)
    connection.request("GET", path, headers={"Host": named or host})
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def test_the_match_is_shown_on_this_machine_only(served):
    assert served.startswith("127.0.0.1:")
    status, headers, page = get(served, "/")
    assert status == 200
    assert headers["Content-Security-Policy"].startswith("default-src 'self'")
    for address in re.findall(rb'(?:src|href|data-viewer|data-log|data-debug)="([^"]+)"', page):
        assert get(served, address.decode())[0] == 200, address
    log = json.loads(get(served, "/matches/0/log.json")[2])
    assert [seat["name"] for seat in log["seats"]] == ["Talker", "Miser"]
    assert len(log["frames"]) == log["count"] > 1
    assert get(served, "/matches/1/")[0] == 404
    assert get(served, "/../pyproject.toml")[0] == 404
    assert get(served, "/", named="evil.example")[0] == 421
    pieces = json.loads(get(served, "/matches/0/debug.json")[2])["pieces"]
    told = [(piece["frame"], piece["overlay"], piece["text"]) for piece in pieces]
    assert told[:2] == [(1, {"text": "thinking"}, "loud"), (3, {"text": "thinking"}, "loud")]
    assert {piece["seat"] for piece in pieces} == {0}
